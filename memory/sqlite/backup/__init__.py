"""backup."""
