"""Tools that test workflows: cases, simulation, backtests of recorded runs."""

__all__: list[str] = []
