"""The order of the files: every opinion about a file on one scale, added up, and what is beside the point held back.

A question is about a thing, and a thing has a home: files are ranked first, and chunks are picked within them. Each
weight was kept because NDCG@10 falls without it on most of the code bases of `make bench-quality`, and each is a round
number, for none of them matters to the second digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .search_pick import Scale
from .search_roles import COSTS
from .words import terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .lexicon import Lexicon
    from .search_bm25 import Words
    from .search_query import Query
    from .search_roles import Roles

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

WEIGHTS: Mapping[str, float] = {
    "file": 0.5,  # BM25F of the whole file
    "chunks": 0.4,  # the sum over its ten best chunks
    "coverage": 0.2,  # how much of the query one of its chunks covers
    "path": 0.2,  # BM25F of its path alone
    "stem": 0.3,  # how much of its own name the query says
    "size": 0.1,  # the logarithm of its length: what a project is about fills its long files
    "meaning": 0.3,  # how near its three nearest chunks are
    "symbol": 1.0,  # it defines a name of the query
    "namesake": 0.3,  # it is called like a name of the query
}
PROSE = {**WEIGHTS, "meaning": 1.0}
"""Prose says one thing in many words, and so there meaning has half the say."""


def weights_of(type_: str) -> Mapping[str, float]:
    """What each opinion counts for chunks of this type."""
    return WEIGHTS if type_ == "code" else PROSE


def most(type_: str) -> Scale:
    """What a document of this type can have."""
    weights = weights_of(type_)
    whole = sum(weights.values())
    return Scale(plain=whole - weights["symbol"] - weights["namesake"], named=whole)


POOL = 100
"""Files of each type that are looked at closely."""
_CHUNKS = 10
"""Chunks of a file that add up."""
_MOST = 2000
"""The best chunks of a type, those that may add up."""


@dataclass(slots=True)
class Ranked:
    """A document that may be shown: its position, its score before its role is counted, and what that is made of."""

    doc: int
    score: float
    cost: float
    parts: dict[str, float]
    chunks: Numbers
    """Positions in `Words.chunks` of its best chunks by words, best first."""


def by_words(lexicon: Lexicon, query: Query, words: Words, named: Mapping[int, float], roles: Roles) -> list[Ranked]:
    """The documents of one type that words or names bring forward, best first, at most `POOL`.

    Args:
        lexicon: the words' index, as it is now.
        query: what was asked.
        words: what its words say of this type.
        roles: of the project's files.
        named: documents that define a name of the query, and how well it fits, 0..1.
    """
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

    best = _best_chunks(words)
    sums = np.zeros(len(words.doc_score), np.float32)
    for doc, places in best.items():
        sums[doc] = words.chunk_score[places].sum()
    cover = np.zeros_like(sums)
    np.maximum.at(cover, words.chunk_doc, words.chunk_cover)
    parts = {
        "file": _share(words.doc_score),
        "chunks": _share(sums),
        "coverage": cover,
        "path": _share(words.doc_path),
        "size": _share(np.log1p(lexicon.docs.body_length).astype(np.float32) * (words.doc_score > 0)),
    }
    rough = sum((WEIGHTS[name] * part for name, part in parts.items()), np.zeros_like(sums))
    for doc, value in named.items():
        rough[doc] += WEIGHTS["symbol"] * value
    likely = [int(doc) for doc in np.argsort(-rough, kind="stable")[: 2 * POOL] if rough[doc] > 0]
    none = np.zeros(0, np.int64)
    ranked = [
        _looked_at(lexicon, query, doc, {name: float(part[doc]) for name, part in parts.items()}, roles)
        for doc in likely
    ]
    for one in ranked:
        one.chunks = best.get(one.doc, none)
        if one.doc in named:
            one.parts["symbol"] = named[one.doc]
            one.score += WEIGHTS["symbol"] * named[one.doc]
    return sorted(ranked, key=lambda one: (-one.score * one.cost, one.doc))[:POOL]


def nominated(lexicon: Lexicon, query: Query, doc: int, roles: Roles) -> Ranked:
    """A document that words do not know."""
    return _looked_at(lexicon, query, doc, {}, roles)


def _looked_at(lexicon: Lexicon, query: Query, doc: int, parts: dict[str, float], roles: Roles) -> Ranked:
    import numpy as np  # noqa: PLC0415 - as above

    path = lexicon.docs.paths[doc] or ""
    whole, words = own_name(path)
    parts["stem"] = _said_of(words, query.words)
    if whole and any(name.rpartition(".")[2] == whole for name in query.names):
        parts["namesake"] = 1.0
    cost = 1.0
    for role in roles.of(path):
        if not (role == "test" and query.about_tests):
            parts[role] = COSTS[role]
            cost *= COSTS[role]
    score = sum(WEIGHTS[name] * value for name, value in parts.items() if name in WEIGHTS)
    return Ranked(doc, score, cost, parts, np.zeros(0, np.int64))


@lru_cache(maxsize=1 << 14)
def own_name(path: str) -> tuple[str, tuple[str, ...]]:
    """A file's own name without its endings, in lower case, and its words: `web_app`, `web`, `app` of `web_app.py`."""
    name = path.rpartition("/")[2].partition(".")[0]
    return name.lower(), tuple(terms_of(name))


def _said_of(words: Sequence[str], terms: Sequence[str]) -> float:
    """The share of a file's own name that the query says; the whole name counts as one word of several.

    The first of several is the name unsplit, which says nothing that its parts do not.
    """
    parts = set(words[1:] if len(words) > 1 else words)
    if not parts:
        return 0.0
    return 1.0 if words[0] in terms else len(parts & set(terms)) / len(parts)


def _best_chunks(words: Words) -> dict[int, Numbers]:
    """The places of each document's best chunks, at most `_CHUNKS`, among the `_MOST` best of all."""
    import numpy as np  # noqa: PLC0415 - as above

    if not len(words.chunks):
        return {}
    some = min(_MOST, len(words.chunks))
    top = np.argpartition(-words.chunk_score, some - 1)[:some]
    order = top[np.lexsort((top, -words.chunk_score[top], words.chunk_doc[top]))]
    docs, starts = np.unique(words.chunk_doc[order], return_index=True)
    ends = [*starts[1:], len(order)]
    return {int(doc): order[at : min(end, at + _CHUNKS)] for doc, at, end in zip(docs, starts, ends, strict=True)}


def _share(values: Floats) -> Floats:
    """Each value against the greatest."""
    greatest = values.max(initial=0.0)
    return values / greatest if greatest > 0 else values


def reasons(type_: str, parts: Mapping[str, float]) -> dict[str, float]:
    """What a score is made of, the most first: each opinion times its weight; what a role leaves of it comes first."""
    weights = weights_of(type_)
    said = {name: round(weights[name] * value, 3) for name, value in parts.items() if name in weights and value > 0}
    left = {name: value for name, value in parts.items() if name in COSTS}
    return {**left, **dict(sorted(said.items(), key=lambda item: (-item[1], item[0])))}
