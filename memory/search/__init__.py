"""Search of the memory: query, filters, ranking, previews, notes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .excerpt import build_excerpt
    from .moment import parse_moment
    from .options import CHUNK_TYPES, SearchOptions
    from .searcher import Searcher

__all__ = ["CHUNK_TYPES", "SearchOptions", "Searcher", "build_excerpt", "parse_moment"]

__getattr__ = export_lazily(
    __name__,
    {
        "excerpt": ["build_excerpt"],
        "moment": ["parse_moment"],
        "options": ["CHUNK_TYPES", "SearchOptions"],
        "searcher": ["Searcher"],
    },
)
