"""Catalog of the tools: lists, the manifest, adapters for other interfaces, and the skill."""
