"""Questions of past answers: the same question in other words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.text_index.tokenizer.tokens import extract_terms

if TYPE_CHECKING:
    from aurora.memory.model.chunks import Chunk

_SAME_SHARE = 0.5
"""Share of the terms of the shorter question that the same question in other words contains."""
_MIN_LETTERS = 4
"""Letters of a term; shorter words are those of any question."""
_ANY = frozenset(extract_terms("does explain from happen happens make that this what when where which with"))


class PastQuestions:
    """Questions of the past answers that were seen."""

    def __init__(self) -> None:
        self._asked: list[frozenset[str]] = []

    def has_same(self, answer: Chunk) -> bool:
        """Return whether a question that was added is that of this answer, in whatever words."""
        terms = _list_terms(answer)
        return any(_is_same(terms, other) for other in self._asked)

    def add(self, answer: Chunk) -> None:
        """Add the question of an answer."""
        self._asked.append(_list_terms(answer))


def _list_terms(answer: Chunk) -> frozenset[str]:
    question = str(answer.metadata.get("query") or answer.symbol)
    return frozenset(term for term in extract_terms(question) if len(term) >= _MIN_LETTERS) - _ANY


def _is_same(terms: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(terms), len(other))
    return shorter > 0 and len(terms & other) >= _SAME_SHARE * shorter
