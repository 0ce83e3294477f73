"""Tools on records, chunks and search of the project's memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .fresh_search import search_fresh
    from .index import IndexInput, index_project
    from .search import FoundChunk

__all__ = ["FoundChunk", "IndexInput", "index_project", "search_fresh"]

__getattr__ = export_lazily(
    __name__,
    {
        "fresh_search": ["search_fresh"],
        "index": ["IndexInput", "index_project"],
        "search": ["FoundChunk"],
    },
)
