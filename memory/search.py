"""Search: files ranked by words, meaning and symbols, chunks picked within them, types merged; it only reads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from . import search_names
from .lexicon import Lexicon
from .meaning import embedder, trouble
from .meaning_matrix import Matrix
from .model import Hit, SearchResult
from .search_absent import absent
from .search_answer import Outcome, is_stale, note
from .search_filter import filter_for
from .search_phrases import holding, phrase_words
from .search_preview import preview
from .search_query import read
from .search_rank import reasons
from .search_roles import Roles
from .search_sides import Asking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .meaning import Embedder
    from .model import Chunk
    from .search_pick import Picked
    from .search_sides import Found
    from .search_wish import Wish
    from .sqlite.store import Store
    from .sqlite.tables import Tables


class Searcher:
    """Searches one store, and keeps in memory what follows it; safe from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._matrix = Matrix()
        self._lexicon = Lexicon()
        self._lock = threading.Lock()
        self._epoch = store.epoch
        self._roles_of: tuple[Lexicon | None, Roles] = (None, Roles(()))

    def warm(self) -> None:
        """Load the embedder and all vectors, so that the next search need not."""
        model = embedder()
        with self._store.reading() as db:
            self._follow(db, db.facts.all(), model, whole=True)
        if model:
            model.warm()

    def search(self, text: str, wish: Wish) -> SearchResult:
        """The chunks that fit a query best.

        Raises:
            Fault: INVALID_INPUT for a wish that cannot be; those of the store.
        """
        wish.check()
        query = read(text)
        model = embedder() if query.text and wish.embeddings else None
        with self._store.reading() as db:
            facts = db.facts.all()
            lexicon = self._follow(db, facts, model)
            names = search_names.asked_words(query.names)
            terms = [*query.words, *names.values(), *phrase_words(query.phrases)]
            found = lexicon.lookup(db, terms, generation=_generation(facts))
            named = search_names.defining(db, query, found)
            allowed = filter_for(db, wish)
            wanted = holding(db, found, query.phrases, allowed.kinds)
            unsaid = bool(query.phrases) and wanted is not None and not len(wanted) and not query.only_phrases
            if unsaid:
                wanted = holding(db, found, (), allowed.kinds)
            asking = Asking(
                db=db,
                lexicon=lexicon,
                matrix=self._matrix,
                roles=self._roles(lexicon),
                query=query,
                postings=found,
                named=named,
                documents=allowed.documents(lexicon.docs.paths),
                wanted=wanted,
                vector=model.embed([query.text])[0] if model else None,
                most=wish.limit + wish.offset,
            )
            ordered = asking.everything(wish.types)
            chosen = ordered.picked[wish.offset : wish.offset + wish.limit]
            chunks = db.chunks.numbered([one.n for one in chosen])
            stale = is_stale(db, wish.root or facts.get("root"), chunks.values())
            lacking = "" if ordered.total else absent(db, wish)
        words = [*query.phrases, *query.terms]
        hits = tuple(_hit(one, chunks[one.n], words, stale) for one in chosen if one.n in chunks)
        held = sum(count for count, _ in lexicon.totals)
        return _result(Outcome(query, hits, _confidence(ordered), held, lacking, unsaid), ordered.total, facts, wish)

    def _follow(self, db: Tables, facts: Mapping[str, str], model: Embedder | None, *, whole: bool = False) -> Lexicon:
        """Bring what is held in memory in line with the store."""
        generation = _generation(facts)
        with self._lock:
            if self._epoch != self._store.epoch:  # another file has our file's name: nothing of what we hold is in it
                self._matrix, self._lexicon, self._epoch = Matrix(), Lexicon(), self._store.epoch
            lexicon = self._lexicon = self._lexicon.following(db, generation)
        if model:
            self._matrix.follow(db, generation, whole=whole)
        return lexicon

    def _roles(self, lexicon: Lexicon) -> Roles:
        """The roles of the files that the lexicon knows, worked out once."""
        with self._lock:
            if self._roles_of[0] is not lexicon:
                self._roles_of = (lexicon, Roles(lexicon.docs.paths))
            return self._roles_of[1]


def _result(outcome: Outcome, total: int, facts: Mapping[str, str], wish: Wish) -> SearchResult:
    said = note(outcome, facts, trouble() if outcome.query.text and wish.embeddings else "")
    return SearchResult(outcome.hits, round(outcome.confidence, 3), total, said)


def _confidence(ordered: Found) -> float:
    return max((one.fit for one in ordered.picked[:3]), default=0.0)


def _generation(facts: Mapping[str, str]) -> int:
    return int(facts.get("generation", 0))


def _hit(one: Picked, chunk: Chunk, words: Sequence[str], stale: set[str]) -> Hit:
    return Hit(
        chunk=chunk,
        score=round(min(one.score, 1.0), 4),
        preview=preview(chunk.text, words, chunk.symbol),
        parts=reasons(chunk.type, one.parts),
        stale=(chunk.path or "") in stale,
    )
