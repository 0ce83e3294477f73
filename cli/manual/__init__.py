"""manual."""

__all__: list[str] = []
