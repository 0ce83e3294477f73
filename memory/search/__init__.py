"""Search of the memory: query, filters, ranking, previews, notes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .exact import ExactResult, ExactScope, Finder, MatchedFile, MatchedLine, find_exact, find_literal
    from .excerpts import build_excerpt, find_matches, number_line, shorten_excerpt
    from .options import CHUNK_TYPES, INDEX_STEP, SearchOptions, find_stale_paths, parse_moment
    from .past_answers import PastQuestions
    from .query import STOP_WORDS
    from .searcher import Searcher

__all__ = [
    "CHUNK_TYPES",
    "INDEX_STEP",
    "STOP_WORDS",
    "ExactResult",
    "ExactScope",
    "Finder",
    "MatchedFile",
    "MatchedLine",
    "PastQuestions",
    "SearchOptions",
    "Searcher",
    "build_excerpt",
    "find_exact",
    "find_literal",
    "find_matches",
    "find_stale_paths",
    "number_line",
    "parse_moment",
    "shorten_excerpt",
]

__getattr__ = export_lazily(
    __name__,
    {
        "exact": ["ExactResult", "ExactScope", "Finder", "MatchedFile", "MatchedLine", "find_exact", "find_literal"],
        "excerpts": ["build_excerpt", "find_matches", "number_line", "shorten_excerpt"],
        "options": ["CHUNK_TYPES", "INDEX_STEP", "SearchOptions", "find_stale_paths", "parse_moment"],
        "past_answers": ["PastQuestions"],
        "query": ["STOP_WORDS"],
        "searcher": ["Searcher"],
    },
)
