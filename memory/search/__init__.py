"""Search of the memory: query, filters, ranking, previews, notes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .exact import ExactResult, ExactScope, Finder, MatchedFile, MatchedLine, find_exact, find_literal, find_word
    from .excerpts import build_excerpt, find_matches, number_line, shorten_excerpt
    from .options import CHUNK_TYPES, INDEX_STEP, Relation, SearchOptions, compile_glob, find_stale_paths, parse_moment
    from .past_answers import PastQuestions
    from .query import STOP_WORDS
    from .relations import Reached, RelatedPlaces, find_reaching, find_related
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
    "Reached",
    "RelatedPlaces",
    "Relation",
    "SearchOptions",
    "Searcher",
    "build_excerpt",
    "compile_glob",
    "find_exact",
    "find_literal",
    "find_matches",
    "find_reaching",
    "find_related",
    "find_stale_paths",
    "find_word",
    "number_line",
    "parse_moment",
    "shorten_excerpt",
]

__getattr__ = export_lazily(
    __name__,
    {
        "exact": [
            "ExactResult",
            "ExactScope",
            "Finder",
            "MatchedFile",
            "MatchedLine",
            "find_exact",
            "find_literal",
            "find_word",
        ],
        "relations": ["Reached", "RelatedPlaces", "find_reaching", "find_related"],
        "excerpts": ["build_excerpt", "find_matches", "number_line", "shorten_excerpt"],
        "options": [
            "CHUNK_TYPES",
            "INDEX_STEP",
            "Relation",
            "SearchOptions",
            "compile_glob",
            "find_stale_paths",
            "parse_moment",
        ],
        "past_answers": ["PastQuestions"],
        "query": ["STOP_WORDS"],
        "searcher": ["Searcher"],
    },
)
