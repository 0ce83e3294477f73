"""Past answers among the hits: one of those to the same question in other words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.text import stem_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Hit

_SAME_SHARE = 0.5
"""Share of the terms of the shorter question that the same question in other words contains."""
_MIN_LETTERS = 4
"""Letters of a term; shorter words are those of any question."""
_ANY = frozenset(
    {"does", "doe", "explain", "from", "happen", "make", "that", "this", "what", "when", "where", "which", "with"}
)


def drop_repeated_answers(hits: Iterable[Hit]) -> list[Hit]:
    """Drop past answers to a question that a better one answers too, unless a person confirmed them.

    Ten answers to one question in other words take the place of one.
    """
    kept: list[Hit] = []
    asked: list[frozenset[str]] = []
    for hit in hits:
        if hit.chunk.type == "reas":
            terms = _list_terms(str(hit.chunk.metadata.get("query") or hit.chunk.symbol))
            if not hit.confirmed and any(_is_same(terms, other) for other in asked):
                continue
            asked.append(terms)
        kept.append(hit)
    return kept


def _list_terms(question: str) -> frozenset[str]:
    return frozenset(stem for stem in stem_words(question) if len(stem) >= _MIN_LETTERS) - _ANY


def _is_same(terms: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(terms), len(other))
    return shorter > 0 and len(terms & other) >= _SAME_SHARE * shorter
