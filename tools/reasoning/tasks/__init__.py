"""Routing of tasks, collection of their results, and the answer."""

__all__: list[str] = []
