"""Chunking: splitting a file into pieces of whole lines."""
