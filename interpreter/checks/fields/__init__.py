"""Checks of named fields: of forms, of a workflow's output, and of responses."""

__all__: list[str] = []
