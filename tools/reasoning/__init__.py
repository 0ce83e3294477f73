"""Tools that the phases of a reasoning workflow run."""

__all__: list[str] = []
