"""Search of the memory: query, filters, ranking, previews, notes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .excerpt import build_excerpt
    from .matches import find_matches
    from .moment import parse_moment
    from .options import CHUNK_TYPES, INDEX_STEP, SearchOptions
    from .past_questions import PastQuestions
    from .searcher import Searcher, find_stale_paths

__all__ = [
    "CHUNK_TYPES",
    "INDEX_STEP",
    "PastQuestions",
    "SearchOptions",
    "Searcher",
    "build_excerpt",
    "find_matches",
    "find_stale_paths",
    "parse_moment",
]

__getattr__ = export_lazily(
    __name__,
    {
        "excerpt": ["build_excerpt"],
        "matches": ["find_matches"],
        "moment": ["parse_moment"],
        "options": ["CHUNK_TYPES", "INDEX_STEP", "SearchOptions"],
        "past_questions": ["PastQuestions"],
        "searcher": ["Searcher", "find_stale_paths"],
    },
)
