"""Ranking of files and chunks by terms, symbols and similarity."""
