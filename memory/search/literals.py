"""Texts to find as they are: a message, a route, a flag; the chunks that hold one are lifted."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from aurora.memory.text_index.tokens import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.storage.store import Tables
    from aurora.memory.text_index import PostingList

    from .query import Query

_SURE, _LIKELY = 0.92, 0.85
"""Match of a chunk that holds all literals of the query: one of few such chunks is what was asked for, as one that
defines a name of it; where many hold them, the other signals decide."""
_FEW_HOLDERS = 5
_MAX_READ = 1_000
"""Chunks whose texts are read for a literal, of those that contain all of its terms; more of them make it ordinary."""
_MAX_HOLDERS = 100
"""Chunks with a literal from which it says nothing, as `utf-8`."""


def extract_literal_terms(literals: Sequence[str]) -> list[str]:
    """Extract the index terms of all literals."""
    return list(dict.fromkeys(word for literal in literals for word in extract_terms(literal)))


def find_literals(db: Tables, query: Query, postings: Mapping[str, PostingList]) -> dict[int, float]:
    """Find the chunks that hold literals of the query, each with its match by the share that it holds.

    No text is read but those of chunks with all the terms of a literal, so that a question costs no scan of the memory.

    Args:
        db: an open read transaction.
        query: the parsed query.
        postings: those of `extract_literal_terms`.
    """
    found = _match_holders(_count_holders(db, query.literals, postings), len(query.literals), _SURE)
    if found:
        return found
    is_message = any(" " in literal for literal in query.likely_literals)
    likely = _count_holders(db, query.likely_literals, postings)
    return _match_holders(likely, len(query.likely_literals), _SURE if is_message else _LIKELY)


def _match_holders(held: Mapping[int, int], wanted: int, best: float) -> dict[int, float]:
    whole = [n for n, count in held.items() if count == wanted]
    sure = frozenset(whole) if len(whole) <= _FEW_HOLDERS else frozenset()
    return {n: best if n in sure else _LIKELY * count / wanted for n, count in held.items()}


def _count_holders(db: Tables, literals: Sequence[str], postings: Mapping[str, PostingList]) -> dict[int, int]:
    """Count the literals that each chunk holds."""
    held: dict[int, int] = {}
    for literal in literals:
        among = _intersect(extract_terms(literal), postings)
        if 0 < len(among) <= _MAX_READ:
            found = db.chunks.find_with_phrases([literal], None, among.tolist())
            for n in found if len(found) <= _MAX_HOLDERS else ():
                held[n] = held.get(n, 0) + 1
    return held


def _intersect(words: Sequence[str], postings: Mapping[str, PostingList]) -> NDArray[np.int64]:
    """Find the chunks that contain all of these terms."""
    found = [postings[word].n.astype(np.int64) for word in words if word in postings]
    if not found or len(found) < len(words):
        return np.zeros(0, np.int64)
    return reduce(np.intersect1d, sorted(found, key=len))
