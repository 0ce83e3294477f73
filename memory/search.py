"""Search: every type ranked by itself by words, meaning and symbols, then merged; it reads and never writes."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Code, Fault
from . import search_words
from .meaning import embedder, trouble
from .meaning_matrix import Matrix
from .model import ChunkType, Hit, SearchResult
from .search_answer import Outcome, is_stale, note
from .search_filter import Filter, filter_for
from .search_fuse import Candidate, fuse
from .search_preview import preview
from .search_query import Query, read
from .search_score import Scored, arrange, score
from .store_chunks import COLUMNS, chunk_of
from .store_rows import ask, pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import apsw

    from .meaning import Embedder
    from .store import Store

TYPES: tuple[ChunkType, ...] = ("code", "know", "reas")
_NOMINEES = {"code": 12, "know": 60, "reas": 60}
"""How many chunks meaning alone may bring forward: few for code, where a likeness of words is often chance."""
_SHORTLIST = 40
"""Candidates of each type that are looked at closely, or twice the asked number when that is more."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What may be found: how many, from where on, of which types, in which files, in which language."""

    limit: int = 10
    offset: int = 0
    types: Sequence[ChunkType] = TYPES
    path_glob: str | None = None
    language: str | None = None


class Searcher:
    """Searches one store, and keeps in memory what follows it; safe from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._matrix = Matrix()
        self._lock = threading.Lock()
        self._counted: tuple[int, dict[str, int]] = (-1, {})
        self._epoch = store.epoch

    def warm(self) -> None:
        """Load the embedder and all vectors, so that the next search need not."""
        model = embedder()
        with self._store.reading() as db:
            self._follow(db, _facts(db), model)
        if model:
            model.embed(["warm"])

    def search(self, text: str, wish: Wish) -> SearchResult:
        """The chunks that fit a query best.

        Raises:
            Fault: INVALID_INPUT for a type that does not exist; those of the store.
        """
        _check(wish)
        query = read(text)
        model = embedder() if query.text else None
        with self._store.reading() as db:
            facts = _facts(db)
            totals = self._follow(db, facts, model)
            allowed = filter_for(db, wish.path_glob, wish.language)
            asking = _Asking(db, query, allowed, totals, max(_SHORTLIST, 2 * (wish.limit + wish.offset)))
            vector = model.embed([query.text])[0] if model else None
            found, considered = asking.everything(wish.types, self._matrix if model else None, vector)
            ordered = arrange(found)
            chosen = ordered[wish.offset : wish.offset + wish.limit]
            stale = is_stale(db, facts.get("root"), [one.chunk for one in chosen])
        words = [*query.phrases, *query.terms]
        hits = tuple(_hit(one, words, stale) for one in chosen)
        outcome = Outcome(query, hits, max((one.fit for one in ordered[:3]), default=0.0), sum(totals.values()))
        said = note(outcome, facts, trouble() if query.text else "")
        return SearchResult(hits, round(outcome.confidence, 3), considered, said)

    def _follow(self, db: apsw.Connection, facts: Mapping[str, str], model: Embedder | None) -> dict[str, int]:
        """Bring what is held in memory in line with the store; the chunks of each type."""
        with self._lock:
            if self._epoch != self._store.epoch:  # another file has our file's name: nothing of what we hold is in it
                self._matrix, self._counted, self._epoch = Matrix(), (-1, {}), self._store.epoch
        generation = int(facts.get("generation", 0))
        if model:
            self._matrix.follow(db, generation)
        return self._totals(db, generation)

    def _totals(self, db: apsw.Connection, generation: int) -> dict[str, int]:
        with self._lock:
            if self._counted[0] == generation:
                return self._counted[1]
        totals: dict[str, int] = pairs(db, "SELECT type, count(*) FROM chunks GROUP BY type")
        with self._lock:
            self._counted = (generation, totals)
        return totals


@dataclass(frozen=True, slots=True)
class _Asking:
    """One search under way, inside one read transaction."""

    db: apsw.Connection
    query: Query
    allowed: Filter
    totals: Mapping[str, int]
    shortlist: int

    def everything(self, types: Sequence[ChunkType], matrix: Matrix | None, vector: Any) -> tuple[list[Scored], int]:
        """The scored candidates of all types, and how many were considered."""
        found: list[Scored] = []
        considered = 0
        for type_ in dict.fromkeys(types):
            if not self.totals.get(type_):
                continue
            total = self.totals[type_] if type_ == "code" else sum(self.totals.get(t, 0) for t in ("know", "reas"))
            terms = search_words.weigh(self.db, type_, self.query.terms, total)
            words = search_words.pool(self.db, type_, terms, self.query.phrases, self.allowed)
            symbols = search_words.named(self.db, type_, self.query, self.allowed)
            meaning = self._meaning(type_, matrix, vector, [*words, *symbols])
            candidates = fuse(type_, words, meaning, symbols)
            considered += len(candidates)
            short = candidates[: self.shortlist]
            found += score(self.query, terms, short, _chunks(self.db, short))
        return found, considered

    def _meaning(self, type_: ChunkType, matrix: Matrix | None, vector: Any, pool: list[int]) -> dict[int, float]:
        shelf = matrix.shelf(type_) if matrix else None
        if shelf is None:
            return {}
        nominees = shelf.nearest(vector, _NOMINEES[type_], self._allowed_numbers(type_))
        return {**nominees, **shelf.nearness(vector, pool)}

    def _allowed_numbers(self, type_: ChunkType) -> Any:
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and here it is loaded already

        if not self.allowed.sql:
            return None
        rows = ask(
            self.db,
            f"SELECT n FROM chunks WHERE type = ?{self.allowed.sql}",  # noqa: S608 - made of constants
            (type_, *self.allowed.bindings),
        )
        return np.fromiter((n for (n,) in rows), np.int64)


def _check(wish: Wish) -> None:
    unknown = sorted(set(wish.types) - set(TYPES))
    if unknown:
        raise Fault(
            Code.INVALID_INPUT,
            f'there is no chunk type "{unknown[0]}"',
            help='use any of "code", "know", "reas"',
            details={"types": unknown},
        )
    if wish.limit < 0 or wish.offset < 0:
        raise Fault(
            Code.INVALID_INPUT,
            f"limit {wish.limit} and offset {wish.offset} must not be negative",
            help="use a limit from 1 and an offset from 0",
        )


def _facts(db: apsw.Connection) -> dict[str, str]:
    return pairs(db, "SELECT key, value FROM facts")


def _chunks(db: apsw.Connection, candidates: Sequence[Candidate]) -> dict[int, Any]:
    rows = ask(
        db,
        f"SELECT n, {COLUMNS} FROM chunks WHERE n IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant
        (json.dumps([one.n for one in candidates]),),
    )
    return {row[0]: chunk_of(row[1:]) for row in rows}


def _hit(one: Scored, words: Sequence[str], stale: set[str]) -> Hit:
    return Hit(
        chunk=one.chunk,
        score=round(min(one.score, 1.0), 4),
        preview=preview(one.chunk.text, words),
        parts=one.parts(),
        stale=(one.chunk.path or "") in stale,
    )
