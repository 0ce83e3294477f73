"""Tools that report each stage of an indexing, and write nothing: normalize, extract, link."""

__all__: list[str] = []
