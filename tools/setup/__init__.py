"""Tools that set up a project for its assistants, and that check it."""

__all__: list[str] = []
