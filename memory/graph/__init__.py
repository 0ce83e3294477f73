"""The code graph: definitions and references of files, linked to each other."""

__all__: list[str] = []
