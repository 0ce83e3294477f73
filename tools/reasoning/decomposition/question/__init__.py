"""Question of a decomposition: its parts, what it asks for, and the quotes taken from it."""
