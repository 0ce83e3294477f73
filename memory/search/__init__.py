"""Search of the memory: query, filters, ranking, previews, notes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .moment import parse_moment
    from .options import CHUNK_TYPES, SearchOptions
    from .searcher import Searcher

__all__ = ["CHUNK_TYPES", "SearchOptions", "Searcher", "parse_moment"]

__getattr__ = export_lazily(
    __name__,
    {
        "moment": ["parse_moment"],
        "options": ["CHUNK_TYPES", "SearchOptions"],
        "searcher": ["Searcher"],
    },
)
