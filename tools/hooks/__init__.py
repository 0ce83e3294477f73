"""Context for the hooks of assistants, and the thread that answers them."""
