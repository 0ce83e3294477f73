"""text_index."""
