"""walk."""

__all__: list[str] = []
