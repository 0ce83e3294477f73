"""Extraction of a file's definitions and references from its syntax tree."""
