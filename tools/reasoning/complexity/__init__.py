"""complexity."""
