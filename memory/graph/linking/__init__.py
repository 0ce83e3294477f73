"""linking."""
