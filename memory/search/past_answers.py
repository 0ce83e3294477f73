"""Past answers in a search: the same question in other words, and their rank among code and documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.records import find_doubtful, is_confirmed
from aurora.memory.text_index.tokens import extract_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage.store import Tables

    from .material import SelectedChunk

_MAX_CHECKED = 20
"""Patterns whose citations a search checks, best first; those that match worse count as doubtful."""

_BELOW_FILES = 0.98
"""Factor of the best score of a file's chunk, which no unconfirmed pattern reaches."""

_ORDER_SHARE = 0.01
"""Share of a pattern's own score in its limited one, so that the order of patterns stays."""

_DOUBTFUL_FACTOR = 0.5

_REPEATED_FACTOR = 0.3


class PatternMarks(NamedTuple):
    """Marks of records: ids of the doubtful, and of those that a person confirmed."""

    doubtful: frozenset[str]
    confirmed: frozenset[str]


def read_marks(db: Tables, chunks: Iterable[Chunk]) -> PatternMarks:
    """Read the marks of these chunks; those of files have none."""
    records = [chunk for chunk in chunks if chunk.path is None]
    confirmed = frozenset(chunk.id for chunk in records if is_confirmed(chunk.metadata))
    return PatternMarks(find_doubtful(db, records), confirmed)


def limit_patterns(
    db: Tables, patterns: Sequence[SelectedChunk], files: Iterable[SelectedChunk]
) -> list[SelectedChunk]:
    """Limit the scores of patterns to below the best chunk of a file, and of doubtful ones further.

    Of several answers to one question in other words the best keeps its place.
    A pattern that a person confirmed, and whose citations are unchanged, keeps its score.

    Args:
        db: the tables.
        patterns: the matching patterns, in any order.
        files: the matching chunks of files.
    """
    if not patterns:
        return []
    best = max(files, key=lambda chunk: chunk.score, default=None)
    ordered = sorted(patterns, key=lambda chunk: (-chunk.score, chunk.n))
    chunks = db.chunks.get_by_number([one.n for one in ordered[:_MAX_CHECKED]])
    marks = read_marks(db, chunks.values())
    limited: list[SelectedChunk] = []
    questions = PastQuestions()
    for one in ordered:
        chunk = chunks.get(one.n)
        is_doubtful = chunk is None or chunk.id in marks.doubtful
        is_repeated = chunk is not None and questions.has_same(chunk)
        if chunk is not None:
            questions.add(chunk)
        if chunk is not None and chunk.id in marks.confirmed and not is_doubtful:
            limited.append(one)
        else:
            factor = _DOUBTFUL_FACTOR if is_doubtful else 1.0
            limited.append(_limit_score(one, best, factor * _REPEATED_FACTOR if is_repeated else factor))
    return limited


def _limit_score(pattern: SelectedChunk, best: SelectedChunk | None, factor: float) -> SelectedChunk:
    score, fit, coverage = pattern.score, pattern.fit, pattern.coverage
    if best is not None:
        score = min(score, best.score * (_BELOW_FILES + _ORDER_SHARE * min(score, 1.0)))
        fit, coverage = min(fit, best.fit), min(coverage, best.coverage)
    return pattern._replace(score=score * factor, fit=fit * factor, coverage=coverage * factor)


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
