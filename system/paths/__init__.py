"""Containment of paths: one set of rules for every path that a caller, a file or a repository gives."""
