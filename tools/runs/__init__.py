"""Tools for runs, jobs and the log of calls."""

__all__: list[str] = []
