"""Query parser: questions and pasted reports."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .model import Mentions, Query, QueryKind
    from .parse import parse_query
    from .weights import weaken_words

__all__ = ["Mentions", "Query", "QueryKind", "parse_query", "weaken_words"]

__getattr__ = export_lazily(
    __name__,
    {
        "model": ["Mentions", "Query", "QueryKind"],
        "parse": ["parse_query"],
        "weights": ["weaken_words"],
    },
)
