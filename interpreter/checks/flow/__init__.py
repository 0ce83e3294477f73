"""flow."""

__all__: list[str] = []
