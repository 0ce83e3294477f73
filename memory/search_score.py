"""One scale for candidates of every type: how much of the query a chunk covers, where it stands, what it is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .meaning_shelf import UNRELATED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .model import Chunk
    from .search_fuse import Candidate
    from .search_query import Query
    from .search_words import Term

_SAME = 0.65
"""A cosine from which two texts say the same."""
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|fixtures?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py)$"
    r"|[._-](?:test|spec)s?\.\w+$"
)
_TEST_COSTS = 0.75
_CROWD = 0.9
"""What each earlier hit of the same file leaves of a score, so that one file does not fill the answer."""
_COMPANY = 0.1
"""What good neighbours in the same file add at most."""
_ENDINGS = ("ings", "ing", "ers", "ies", "ed", "er", "es", "s", "e", "y")
_EXACT = 0.9
"""Where the scores of exact symbols begin."""


@dataclass(slots=True)
class Scored:
    """A candidate with its chunk and its place on the common scale; `fit` is what it says about the whole answer."""

    chunk: Chunk
    candidate: Candidate
    fit: float
    score: float

    def parts(self) -> dict[str, float]:
        """What the score is made of, for whoever must know why."""
        found = {**self.candidate.parts, "bm25": self.candidate.bm25, "meaning": self.candidate.meaning}
        if self.candidate.symbol:
            found["symbol"] = self.candidate.symbol
        return {name: round(value, 4) for name, value in sorted(found.items())}


def score(
    query: Query, terms: Sequence[Term], candidates: Sequence[Candidate], chunks: Mapping[int, Chunk]
) -> list[Scored]:
    """Put the candidates of one type on the common scale.

    Args:
        query: what was asked.
        terms: its words with their weight in this type's index.
        candidates: in any order.
        chunks: their chunks by number; a candidate without one, or without a required phrase, is left out.
    """
    top = max((one.bm25 for one in candidates), default=0) or 1.0
    out = []
    for one in candidates:
        chunk = chunks.get(one.n)
        if chunk is None:
            continue
        hay = f"{chunk.symbol}\n{chunk.path or ''}\n{chunk.text}".lower()
        if not all(phrase in hay for phrase in query.phrases):
            continue
        covered = one.parts["coverage"] = _coverage(terms, hay)
        fit = 0.7 * covered + 0.3 * _nearness(one.meaning)
        value = _value(one, fit, top)
        testing = is_test(chunk.path) and not query.about_tests
        if testing:
            value *= _TEST_COSTS
            one.parts["test"] = _TEST_COSTS
        if one.symbol:
            fit, value = 1.0, _exact(one, value, testing=testing)
        out.append(Scored(chunk, one, fit, value))
    return out


def arrange(found: Sequence[Scored]) -> list[Scored]:
    """The order that a person sees: good company in a file helps, crowding by one file does not."""
    company: defaultdict[str, float] = defaultdict(float)
    for one in found:
        company[one.chunk.path or ""] += one.score
    for one in found:
        if one.chunk.path and not one.candidate.symbol:
            others = company[one.chunk.path] - one.score
            one.score *= 1 + _COMPANY * others / (1 + others)
            one.candidate.parts["company"] = _COMPANY * others / (1 + others)
    before: Counter[str] = Counter()
    for one in sorted(found, key=_order):
        if one.chunk.path and not one.candidate.symbol:
            one.score *= _CROWD ** before[one.chunk.path]
            before[one.chunk.path] += 1
    ceiling = _EXACT - 0.01 if any(one.candidate.symbol for one in found) else 1.0
    for one in found:
        one.score = min(one.score, 1.0 if one.candidate.symbol else ceiling)
    return sorted(found, key=_order)


def is_test(path: str | None) -> bool:
    """Whether a file is there to test others."""
    return bool(path and _TEST.search(path.lower()))


def _value(one: Candidate, fit: float, top: float) -> float:
    """0..1: half its place among the candidates, half its BM25 against the best, less where it covers little."""
    place = 0.5 * one.fused + 0.5 * one.bm25 / top if one.bm25 else one.fused
    return place * (0.3 + 0.7 * fit)


def _exact(one: Candidate, value: float, *, testing: bool) -> float:
    """An exact symbol stands above all that is not one; in a test file, just below the others."""
    return _EXACT * value**0.25 if testing else _EXACT + (1 - _EXACT) * value * one.symbol


def _nearness(cosine: float) -> float:
    return min(max((cosine - UNRELATED) / (_SAME - UNRELATED), 0.0), 1.0)


def _coverage(terms: Sequence[Term], hay: str) -> float:
    """How much of what the query tells is in the text: the idf of the words in it over that of all its words."""
    whole = sum(term.idf for term in terms)
    return sum(term.idf for term in terms if _stands_in(term.word, hay)) / whole if whole else 0.0


def _stands_in(word: str, hay: str) -> bool:
    if len(word) <= 3:  # noqa: PLR2004 - a short word is a part of too many others
        return bool(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", hay))
    return word in hay or _stem(word) in hay


@lru_cache(maxsize=256)
def _stem(word: str) -> str:
    """The word without its ending, as far as four letters are left: `rotate` and `rotating` share `rotat`."""
    ending = next((end for end in _ENDINGS if word.endswith(end)), "")
    return word.removesuffix(ending) if len(word) - len(ending) >= 4 else word  # noqa: PLR2004 - as the docstring says


def _order(one: Scored) -> tuple[float, str]:
    return (-one.score, one.chunk.id)
