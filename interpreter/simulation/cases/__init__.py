"""Test cases of workflows: load, play, compare with expectations, record."""
