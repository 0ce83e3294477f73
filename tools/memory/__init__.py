"""Tools on records, chunks and search of the project's memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .hits import IndexState, read_index_state, record_uses, search_fresh
    from .index import IndexInput, index_project
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
        "hits": ["IndexState", "read_index_state", "record_uses", "search_fresh"],
        "index": ["IndexInput", "index_project"],
        "search": ["FoundChunk"],
    },
)
