"""Tools that check, back up, repair, rebuild, export and import the memory."""

__all__: list[str] = []
