"""Commands with code of their own."""
