"""Indexing: reading changed files into the memory, once or while they change."""
