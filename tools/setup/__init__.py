"""setup."""

__all__: list[str] = []
