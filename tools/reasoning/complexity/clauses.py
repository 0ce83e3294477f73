"""Boundaries of clauses in a query, after its opening courtesies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.text import TokenizedText

    from .phrases import PhraseMatch


@dataclass(frozen=True, slots=True)
class ClauseBoundaries:
    """Indexes of words at which the query and its clauses begin.

    Attributes:
        query_start: first word after "please", "can you" and similar courtesies.
        clause_starts: first words of clauses: after a pause, a joining word, or a courtesy.
        question_continuations: those clause starts that only continue a question: "how does it parse and convert"
            does not request a conversion.
    """

    query_start: int
    clause_starts: frozenset[int]
    question_continuations: frozenset[int]


def find_clause_boundaries(
    text: TokenizedText,
    openers: Iterable[PhraseMatch],
    joiners: Iterable[PhraseMatch],
    questions: Iterable[PhraseMatch],
) -> ClauseBoundaries:
    """Find the boundaries of a query's clauses.

    Args:
        text: the query.
        openers: its courtesies.
        joiners: its joining words.
        questions: its question words.
    """
    starts = {index for index, clause in enumerate(text.clause) if index == 0 or text.clause[index - 1] != clause}
    query_start = 0
    for match in openers:
        starts.add(match.position + match.length)
        if match.position == query_start:
            query_start = match.position + match.length
    starts |= {match.position + match.length for match in joiners}
    question_by_clause: dict[int, int] = {}
    for match in questions:
        if match.position in starts:
            question_by_clause.setdefault(text.clause[match.position], match.position)
    continuations = set()
    for start in starts:
        clause = text.clause[start] if start < len(text.clause) else None
        if clause is not None and question_by_clause.get(clause, start) < start:
            continuations.add(start)
    return ClauseBoundaries(query_start, frozenset(starts), frozenset(continuations))
