"""One search under way: each type of chunk ranked by itself, then all of them merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.files.roles import COSTS
from aurora.memory.search.ranking import files as search_rank
from aurora.memory.search.ranking import similarity as search_meaning
from aurora.memory.search.ranking.bm25 import weigh
from aurora.memory.search.ranking.chunks import EACH, EXACT, Opinions, Picked, pick
from aurora.memory.search.ranking.occurrences import Visible, occurrences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from aurora.memory.embeddings.matrix import Matrix
    from aurora.memory.files.roles import Roles
    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.search.ranking.bm25 import Words
    from aurora.memory.search.ranking.files import Ranked
    from aurora.memory.search.ranking.similarity import Near
    from aurora.memory.sqlite.tables.all import Tables
    from aurora.memory.text_index.index import Lexicon
    from aurora.memory.text_index.read import Posting

    from .query import Query

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

SHARE: Mapping[str, float] = {"code": 1.0, "know": 0.6, "reas": 0.8}
"""What a type's scores count beside those of code: prose says every word there is, and a question about code is
answered by code; measured where the code bases of the benchmark hold their documents too."""

_NOMINEES: Mapping[str, int] = {"code": 0, "know": 60, "reas": 60}
"""How many chunks meaning alone brings forward. For code none: there a likeness without a common word is chance."""

_FITS = 0.5
"""How well the best of a type must fit for its scores to count whole: prose that answers stands above code that does
not, and below code that does."""
_SURE = 3
"""The best chunks that tell how far a type can be trusted."""
_ANSWERS = 0.9
"""How well a record must fit to answer the question in its very words. It then stands just behind exact names, for it
has no path, no name and no length to be ranked by; those that only share words with a question about code fit less."""


class Found(NamedTuple):
    """Chunks best first, at least as many as were asked for where there are; and how many could be shown in all."""

    picked: Sequence[Picked]
    total: int


class Asking(NamedTuple):
    """One search inside one read transaction.

    Attributes:
        db: with the transaction open.
        lexicon, matrix: in line with it.
        roles: of the project's files.
        query: taken apart.
        postings: of all its words and names that stand anywhere.
        named: chunks that define one of its names, and how well it fits.
        documents: which documents may be seen, by position; all when None.
        wanted: which chunks may be seen, rising; all when None.
        vector: the query's, of length 1; None where there are no embeddings.
        most: how many chunks will be shown at most.
    """

    db: Tables
    lexicon: Lexicon
    matrix: Matrix
    roles: Roles
    query: Query
    postings: Mapping[str, Posting]
    named: Mapping[int, float]
    documents: NDArray[np.bool_] | None
    wanted: Numbers | None
    vector: Floats | None
    most: int

    def everything(self, types: Sequence[ChunkType]) -> Found:
        """The chunks of these types that fit best."""
        found = [self._type(type_) for type_ in dict.fromkeys(types)]
        picked = sorted((one for side in found for one in side.picked), key=lambda one: (-one.score, one.n))
        return Found(picked, sum(side.total for side in found))

    def _type(self, type_: ChunkType) -> Found:
        code = self.lexicon.types.index(type_)
        if not self.lexicon.totals[code][0]:
            return Found((), 0)
        seen = occurrences(self.lexicon, self.postings, self.query.words, code, Visible(self.documents, self.wanted))
        words = weigh(self.lexicon, code, seen)
        ranked = search_rank.by_words(self.lexicon, self.query, words, self._named(code), self.roles)
        near = self._meaning(type_, words, ranked)
        ranked.sort(key=_best_first)
        self._hold_copies_back(ranked)
        ranked.sort(key=_best_first)
        return self._picked(type_, ranked, Opinions(words, near, self.named, self._wanted_set(), prose=type_ != "code"))

    def _picked(self, type_: ChunkType, ranked: Sequence[Ranked], opinions: Opinions) -> Found:
        """The first documents are enough: none below has a chunk that stands higher, but for a name or a record."""
        enough = max(self.most, _SURE)
        paths = self.lexicon.docs.paths
        first = [one for at, one in enumerate(ranked) if at < enough or "symbol" in one.parts or paths[one.doc] is None]
        picked = pick(self.lexicon, first, opinions, search_rank.most(type_))
        sure = max((one.fit for one in sorted(picked, key=lambda one: -one.score)[:_SURE]), default=0.0)
        scale = SHARE[type_] * max(min(sure / _FITS, 1.0), 0.01)
        merged = [one._replace(score=self._merged(one, scale)) for one in picked]
        docs = self.lexicon.docs
        each = (int(docs.last_n[one.doc] - docs.first_n[one.doc]) + 1 for one in ranked)
        return Found(merged, sum(min(count, EACH) for count in each) if opinions.wanted is None else len(merged))

    def _merged(self, one: Picked, scale: float) -> float:
        """The score of a chunk among those of all types."""
        if "symbol" in one.parts:
            return one.score
        if one.fit >= _ANSWERS and self.lexicon.docs.paths[self.lexicon.doc_at[one.n]] is None:
            return EXACT * one.fit
        return one.score * scale

    def _hold_copies_back(self, ranked: Sequence[Ranked]) -> None:
        """A file that says what one before it says, word for word, has nothing to add."""
        paths = [self.lexicon.docs.paths[one.doc] for one in ranked]
        held = self.db.files.known_of([path for path in paths if path is not None])
        first: dict[str, str] = {}
        for one, path in zip(ranked, paths, strict=True):
            if path in held and first.setdefault(held[path][2], path) != path:
                one.parts["copy"] = COSTS["copy"]
                one.cost *= COSTS["copy"]

    def _named(self, code: int) -> dict[int, float]:
        """The documents of one type that define a name of the query, and may be seen."""
        docs = self.lexicon.docs
        out: dict[int, float] = {}
        for n, value in self.named.items():
            doc = self.lexicon.doc_of(n)
            seen = doc is not None and docs.type[doc] == code and (self.documents is None or self.documents[doc])
            if doc is not None and seen and (self.wanted is None or n in self.wanted):
                out[doc] = max(out.get(doc, 0.0), value)
        return out

    def _meaning(self, type_: ChunkType, words: Words, ranked: list[Ranked]) -> Near:
        """Let meaning bring its own forward, and add what it says of all; how near their chunks are."""
        if self.vector is None:
            return search_meaning.nobody()
        known = {one.doc for one in ranked}
        for n in self._nominees(type_):
            doc = self.lexicon.doc_of(n)
            if doc is not None and doc not in known and (self.documents is None or self.documents[doc]):
                known.add(doc)
                ranked.append(search_rank.nominated(self.lexicon, self.query, doc, self.roles))
        numbers = search_meaning.looked_at(self.lexicon, words, ranked)
        near = search_meaning.nearness(self.db, self.matrix, type_, self.vector, numbers)
        for one, value in zip(ranked, search_meaning.closeness(self.lexicon, ranked, near), strict=True):
            one.parts["meaning"] = value
            one.score += search_rank.weights_of(type_)["meaning"] * value
        return near

    def _nominees(self, type_: ChunkType) -> list[int]:
        shelf = self.matrix.shelf(type_) if _NOMINEES[type_] else None
        if shelf is None or self.vector is None:
            return []
        return list(shelf.nearest(self.vector, _NOMINEES[type_], self.wanted))

    def _wanted_set(self) -> frozenset[int] | None:
        return None if self.wanted is None else frozenset(self.wanted.tolist())


def _best_first(one: Ranked) -> tuple[float, int]:
    return -one.score * one.cost, one.doc
