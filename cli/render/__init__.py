"""Views of the tools' outputs at the terminal."""
