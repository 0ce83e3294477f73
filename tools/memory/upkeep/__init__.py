"""upkeep."""

__all__: list[str] = []
