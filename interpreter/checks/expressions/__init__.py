"""Checks of JMESPath expressions: scopes, types, positions, comparisons, calls."""
