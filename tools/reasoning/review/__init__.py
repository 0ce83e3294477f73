"""review."""

__all__: list[str] = []
