"""Search: files ranked by words, meaning and symbols, chunks picked within them, types merged; it only reads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from aurora.memory.embeddings.embedder import embedder, trouble
from aurora.memory.embeddings.matrix import Matrix
from aurora.memory.files.roles import Roles
from aurora.memory.model.chunks import Hit, SearchResult
from aurora.memory.search.ranking import symbols as search_names
from aurora.memory.search.ranking.files import reasons
from aurora.memory.text_index.index import Lexicon

from .advice import Outcome, is_stale, note
from .empty_filters import absent
from .filters import filter_for
from .phrases import holding, phrase_words
from .preview import preview
from .query import read
from .session import Asking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.embeddings.embedder import Embedder
    from aurora.memory.model.chunks import Chunk
    from aurora.memory.search.ranking.chunks import Picked
    from aurora.memory.sqlite.store import Store
    from aurora.memory.sqlite.tables.all import Tables

    from .options import Wish
    from .session import Found


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
