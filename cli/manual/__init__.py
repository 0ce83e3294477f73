"""manual."""
