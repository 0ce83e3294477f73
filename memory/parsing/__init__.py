"""Parsing with tree-sitter: syntax trees, and the outline of a file."""
