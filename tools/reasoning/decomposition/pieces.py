"""Parts of a question that are no subgoal's work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aurora.tools.text import stem_word, stem_words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .question import CommonWords, Question

_MIN_PREFIX = 4
"""Letters that two forms of a word have in common at least, as "grow" and "growth"."""


class PieceRule(Protocol):
    """Settings of the parts that must be somebody's work."""

    @property
    def piece_share(self) -> float:
        """Least share of the terms of a part; 0 judges no part."""

    @property
    def part_share(self) -> float:
        """Least share of the terms of a part that is not quoted, where others are."""

    @property
    def name_weight(self) -> float:
        """Weight of a name; that of a word is 1."""

    @property
    def abstract(self) -> tuple[str, ...]:
        """Words for what any answer contains."""


def has_abandoned_piece(
    question: Question, quoted: Collection[str], covered: Collection[str], words: CommonWords, rule: PieceRule
) -> bool:
    """Return whether nearly nothing covers the own terms of a part of a question.

    Args:
        question: the question; one with a single part has none.
        quoted: terms that quotes cover; empty when no subgoal quotes.
        covered: terms that quotes, descriptions and places cover.
        words: verbs count only in a part that has nothing else.
        rule: least shares of the terms of a part.
    """
    abstract = frozenset(stem_word(word) for word in rule.abstract)
    for piece in question.pieces if rule.piece_share and len(question.pieces) > 1 else ():
        whole = frozenset((*piece.words, *piece.names))
        verbs = frozenset(stem for stem, word in piece.words.items() if word in words.verbs)
        terms = whole - abstract - (verbs if len(whole) > 1 else frozenset())
        weights = {term: rule.name_weight if term in piece.names else 1.0 for term in terms}
        least = rule.part_share if quoted and not _weigh_covered(weights, quoted) else rule.piece_share
        if _weigh_covered(weights, covered) < least * sum(weights.values()):
            return True
    return False


def _weigh_covered(weights: Mapping[str, float], covered: Collection[str]) -> float:
    all_covered = {*covered}
    return sum(
        weight
        for term, weight in weights.items()
        if term in all_covered or stem_words(term) <= all_covered or _has_form(term, covered)
    )


def _has_form(term: str, covered: Collection[str]) -> bool:
    """Return whether another form of a word is covered: the shorter one begins the longer one."""
    return len(term) >= _MIN_PREFIX and any(
        len(other) >= _MIN_PREFIX and (other.startswith(term) or term.startswith(other)) for other in covered
    )
