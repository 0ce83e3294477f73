"""From files to what is shown: the best chunks of each, one more of the same file worth less than a new file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.embeddings.vectors import UNRELATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.text_index.index import Lexicon

    from .bm25 import Words
    from .files import Ranked, Scale
    from .similarity import Near

EXACT = 0.9
"""Where the scores of exact symbols begin; all others stay below."""
_SAME = 0.65
"""A cosine from which two texts say the same."""
EACH = 4
"""Chunks of one file that may be shown."""
_SECOND, _FURTHER = 0.4, 0.8
"""What a second chunk of a file has of the first one's score, and each further one of the one before."""
_MEANING = 0.3
"""What meaning is worth beside words when chunks of one file are compared; an exact symbol is worth `_NAMED`."""
_NAMED = 2.0
_WORDS_IN_CODE, _WORDS_IN_PROSE = 0.7, 0.4
"""What covering the query's words is worth in how well a chunk fits; the rest is meaning's."""


class Picked(NamedTuple):
    """A chunk that may be shown.

    Attributes:
        score: 0..1, comparable with that of other chunks of its type.
        fit: 0..1, how much of the query it answers, whatever else there is.
        parts: what is known of its file, each in 0..1, and its own likeness to a name of the query.
    """

    n: int
    score: float
    fit: float
    parts: Mapping[str, float]


class Opinions(NamedTuple):
    """What is known of single chunks: words, meaning, likeness to a name of the query by number."""

    words: Words
    near: Near
    named: Mapping[int, float]
    wanted: frozenset[int] | None
    """The only chunks that may be shown; None: any."""
    prose: bool


class _Look(NamedTuple):
    """One chunk, as the words, the vectors and the names see it."""

    n: int
    bm25: float = 0.0
    cover: float = 0.0
    cosine: float = 0.0
    named: float = 0.0

    def worth(self, greatest: float) -> float:
        return self.bm25 / greatest + _MEANING * max(self.cosine, 0.0) + _NAMED * self.named


def pick(lexicon: Lexicon, ranked: Sequence[Ranked], opinions: Opinions, scale: Scale) -> list[Picked]:
    """The chunks to show of these documents, in no order.

    Args:
        lexicon: the words' index, as it is now.
        ranked: documents of one type.
        opinions: of single chunks.
        scale: what a document's score is divided by.
    """
    greatest = float(opinions.words.chunk_score.max(initial=0.0)) or 1.0
    words = _WORDS_IN_PROSE if opinions.prose else _WORDS_IN_CODE
    return [
        one for document in ranked for one in _of(document, _looks(lexicon, document, opinions), greatest, scale, words)
    ]


def _of(document: Ranked, looks: Sequence[_Look], greatest: float, scale: Scale, words: float) -> Iterator[Picked]:
    order = sorted(looks, key=lambda look: (-look.worth(greatest), look.n))[:EACH]
    best = order[0].worth(greatest) if order else 0.0
    for place, look in enumerate(order):
        share = _SECOND * _FURTHER ** (place - 1) * look.worth(greatest) / (best or 1.0) if place else 1.0
        fit = 1.0 if look.named >= EXACT else words * look.cover + (1 - words) * likeness(look.cosine)
        value = _placed(share, document, look.named, scale)
        yield Picked(look.n, value, fit, {**document.parts, **({"symbol": look.named} if look.named else {})})


def _placed(share: float, document: Ranked, named: float, scale: Scale) -> float:
    """An exact symbol stands above all that is not one; in a test file, just below."""
    if named < EXACT:
        return min(document.score * document.cost / scale.plain, 1.0) * share * (EXACT - 0.01)
    value = min(document.score * document.cost / scale.named, 1.0) * share * named
    return (EXACT - 0.01) * value**0.25 if document.cost < 1 else EXACT + (1 - EXACT) * value


def likeness(cosine: float) -> float:
    """0..1: from unrelated to the same."""
    return min(max((cosine - UNRELATED) / (_SAME - UNRELATED), 0.0), 1.0)


def _looks(lexicon: Lexicon, document: Ranked, opinions: Opinions) -> list[_Look]:
    """The chunks of a document of which anything is known; its first one when nothing is."""
    first, last = int(lexicon.docs.first_n[document.doc]), int(lexicon.docs.last_n[document.doc])
    words = opinions.words
    said = {
        int(words.chunks[at]): (float(words.chunk_score[at]), float(words.chunk_cover[at])) for at in document.chunks
    }
    numbers, cosines = opinions.near.within(first, last)
    near = dict(zip(numbers.tolist(), cosines.tolist(), strict=True))
    named = {n: value for n, value in opinions.named.items() if first <= n <= last}
    known = {*said, *near, *named} or {first}
    wanted = known if opinions.wanted is None else known & opinions.wanted
    return [_Look(n, *said.get(n, (0.0, 0.0)), near.get(n, 0.0), named.get(n, 0.0)) for n in wanted]
