"""Where clauses begin in a query, and where the query itself begins once its courtesies are past."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.text import TokenizedText

    from .phrases import PhraseMatch


@dataclass(frozen=True, slots=True)
class ClauseBoundaries:
    """Places of words in a query.

    Attributes:
        start: where the query begins, after "please", "can you" and their like.
        begins: where a clause begins: after a pause, a joining word, or a courtesy.
        within_question: of these, the ones that only go on with a question: "how does it parse and convert" asks for
            nothing to be converted, and "where do we handle errors" for nothing to be handled.
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
    """Find them.

    Args:
        text: the query.
        openers: the courtesies in it.
        joiners: the joining words in it.
        questions: what asks in it.
    """
    begins = {at for at, clause in enumerate(text.clause) if at == 0 or text.clause[at - 1] != clause}
    start = 0
    for match in openers:
        begins.add(match.position + match.length)
        if match.position == start:
            start = match.position + match.length
    begins |= {match.position + match.length for match in joiners}
    asked: dict[int, int] = {}
    for match in questions:
        if match.position in begins:
            asked.setdefault(text.clause[match.position], match.position)
    within = {at for at in begins if at < len(text.clause) and asked.get(text.clause[at], at) < at}
    return ClauseBoundaries(start, frozenset(begins), frozenset(within))
