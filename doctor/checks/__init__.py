"""Checks of the doctor, one module per group."""

__all__: list[str] = []
