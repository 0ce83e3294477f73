"""Queries of the code graph: nodes by name, links, paths, differences."""
