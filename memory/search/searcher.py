"""Searcher: ranks files, selects chunks within them, merges the types; read-only."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from aurora.memory.embeddings import VectorIndex, get_embedder, get_load_error
from aurora.memory.files import FileRoles
from aurora.memory.model import Hit, SearchResult
from aurora.memory.search.ranking import explain_score
from aurora.memory.search.ranking import symbols as search_names
from aurora.memory.text_index import TextIndex

from .advice import SearchOutcome, build_note, find_stale_paths
from .empty_filters import explain_empty_filters
from .filters import build_filter
from .phrases import extract_phrase_terms, find_matching_chunks
from .preview import build_preview
from .query import parse_query
from .session import SearchSession

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.embeddings import Embedder
    from aurora.memory.model import Chunk
    from aurora.memory.search.ranking import SelectedChunk
    from aurora.memory.sqlite import Store
    from aurora.memory.sqlite.tables import Tables

    from .options import SearchOptions
    from .session import RankedChunks


class Searcher:
    """Searcher of one store, with indexes in memory that follow it; thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._vectors = VectorIndex()
        self._text_index = TextIndex()
        self._lock = threading.Lock()
        self._epoch = store.epoch
        self._cached_roles: tuple[TextIndex | None, FileRoles] = (None, FileRoles(()))

    def warm_up(self) -> None:
        """Load the embedder and all vectors ahead of the next search."""
        model = get_embedder()
        with self._store.begin_read() as db:
            self._refresh(db, db.meta.get_all(), model, whole=True)
        if model:
            model.warm_up()

    def search(self, text: str, wish: SearchOptions) -> SearchResult:
        """Return the chunks that match a query best.

        Raises:
            Fault: INVALID_INPUT for invalid options; faults of the store.
        """
        wish.validate()
        query = parse_query(text)
        model = get_embedder() if query.text and wish.embeddings else None
        with self._store.begin_read() as db:
            facts = db.meta.get_all()
            lexicon = self._refresh(db, facts, model)
            names = search_names.extract_name_terms(query.names)
            terms = [*query.words, *names.values(), *extract_phrase_terms(query.phrases)]
            found = lexicon.read_postings(db, terms, generation=_read_generation(facts))
            named = search_names.find_definitions(db, query, found)
            allowed = build_filter(db, wish)
            wanted = find_matching_chunks(db, found, query.phrases, allowed.kinds)
            unsaid = bool(query.phrases) and wanted is not None and not len(wanted) and not query.only_phrases
            if unsaid:
                wanted = find_matching_chunks(db, found, (), allowed.kinds)
            asking = SearchSession(
                db=db,
                lexicon=lexicon,
                matrix=self._vectors,
                roles=self._get_roles(lexicon),
                query=query,
                postings=found,
                named=named,
                documents=allowed.mask_documents(lexicon.docs.paths),
                wanted=wanted,
                vector=model.embed([query.text])[0] if model else None,
                most=wish.limit + wish.offset,
            )
            ordered = asking.rank_chunks(wish.types)
            chosen = ordered.picked[wish.offset : wish.offset + wish.limit]
            chunks = db.chunks.get_by_number([one.n for one in chosen])
            stale = find_stale_paths(db, wish.root or facts.get("root"), chunks.values())
            lacking = "" if ordered.total else explain_empty_filters(db, wish)
        words = [*query.phrases, *query.terms]
        hits = tuple(_build_hit(one, chunks[one.n], words, stale) for one in chosen if one.n in chunks)
        held = sum(count for count, _ in lexicon.totals)
        return _build_result(
            SearchOutcome(query, hits, _compute_confidence(ordered), held, lacking, unsaid), ordered.total, facts, wish
        )

    def _refresh(
        self, db: Tables, facts: Mapping[str, str], model: Embedder | None, *, whole: bool = False
    ) -> TextIndex:
        """Refresh the indexes in memory from the store."""
        generation = _read_generation(facts)
        with self._lock:
            if self._epoch != self._store.epoch:  # the database file was replaced: drop everything in memory
                self._vectors, self._text_index, self._epoch = VectorIndex(), TextIndex(), self._store.epoch
            lexicon = self._text_index = self._text_index.refresh(db, generation)
        if model:
            self._vectors.refresh(db, generation, whole=whole)
        return lexicon

    def _get_roles(self, lexicon: TextIndex) -> FileRoles:
        """Return the roles of the indexed files, computed once per index."""
        with self._lock:
            if self._cached_roles[0] is not lexicon:
                self._cached_roles = (lexicon, FileRoles(lexicon.docs.paths))
            return self._cached_roles[1]


def _build_result(outcome: SearchOutcome, total: int, facts: Mapping[str, str], wish: SearchOptions) -> SearchResult:
    said = build_note(outcome, facts, get_load_error() if outcome.query.text and wish.embeddings else "")
    return SearchResult(outcome.hits, round(outcome.confidence, 3), total, said)


def _compute_confidence(ordered: RankedChunks) -> float:
    return max((one.fit for one in ordered.picked[:3]), default=0.0)


def _read_generation(facts: Mapping[str, str]) -> int:
    return int(facts.get("generation", 0))


def _build_hit(one: SelectedChunk, chunk: Chunk, words: Sequence[str], stale: set[str]) -> Hit:
    return Hit(
        chunk=chunk,
        score=round(min(one.score, 1.0), 4),
        preview=build_preview(chunk.text, words, chunk.symbol),
        parts=explain_score(chunk.type, one.parts),
        stale=(chunk.path or "") in stale,
    )
