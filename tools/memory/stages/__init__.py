"""Tools that report each stage of an indexing: normalize, extract, link. They write nothing into the memory."""

__all__: list[str] = []
