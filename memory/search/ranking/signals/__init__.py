"""Ranking signals of files, one module each, and their registry."""
