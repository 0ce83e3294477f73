"""Tools on records, chunks and search of the project's memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .hits import record_uses, search_fresh
    from .index import IndexInput, index_project
    from .index_state import IndexState, read_index_state
    from .search import FoundChunk

__all__ = [
    "FoundChunk",
    "IndexInput",
    "IndexState",
    "index_project",
    "read_index_state",
    "record_uses",
    "search_fresh",
]

__getattr__ = export_lazily(
    __name__,
    {
        "hits": ["record_uses", "search_fresh"],
        "index": ["IndexInput", "index_project"],
        "index_state": ["IndexState", "read_index_state"],
        "search": ["FoundChunk"],
    },
)
