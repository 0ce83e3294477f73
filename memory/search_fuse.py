"""Several opinions about the same candidates made into one order, within one type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STEADINESS = 20
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009, who take 60): how little the first
places differ. Pools of a hundred want it smaller than the pools of thousands it was found on."""

# For code the names decide, and meaning is a second opinion; prose says one thing in many words, and both are equal.
_MEANING = {"code": 0.6, "know": 1.0, "reas": 1.0}


@dataclass(slots=True)
class Candidate:
    """A chunk that somebody brought forward, and what each of them thinks of it."""

    n: int
    type: str
    bm25: float = 0.0
    meaning: float = 0.0
    symbol: float = 0.0
    fused: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)


def fuse(
    type_: str, words: Mapping[int, float], meaning: Mapping[int, float], symbols: Mapping[int, float]
) -> list[Candidate]:
    """One order out of three: reciprocal ranks of words and meaning, an exact symbol before everything.

    Args:
        type_: of all the candidates.
        words: BM25 by chunk number.
        meaning: cosine by chunk number.
        symbols: likeness of an exact symbol, 0..1, by chunk number.

    Returns:
        The candidates, best first; `fused` is in 0..1.
    """
    all_ = {n: Candidate(n, type_) for n in (*words, *meaning, *symbols)}
    weight = _MEANING[type_]
    for n, value in words.items():
        all_[n].bm25 = value
    for n, value in meaning.items():
        all_[n].meaning = value
    for n, value in symbols.items():
        all_[n].symbol = value
    best = (1 + weight) / (STEADINESS + 1)
    for share, ranked in ((1.0, _ranked(words)), (weight, _ranked(meaning))):
        for rank, n in enumerate(ranked, 1):
            all_[n].fused += share / (STEADINESS + rank) / best
    return sorted(all_.values(), key=lambda one: (-one.symbol, -one.fused, one.n))


def _ranked(scores: Mapping[int, float]) -> Iterable[int]:
    return sorted(scores, key=lambda n: (-scores[n], n))
