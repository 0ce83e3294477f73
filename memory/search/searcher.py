"""Searcher: ranks files, selects chunks within them, merges the types; read-only."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.embeddings import VectorIndex, get_embedder, get_load_error, get_semantic_error
from aurora.memory.files import FileRoles
from aurora.memory.indexing import describe_state
from aurora.memory.model import Hit, SearchResult
from aurora.memory.records import is_adopted, list_source_paths
from aurora.memory.search.ranking import VisibleScope, confirm_name, explain_score, extract_name_terms, find_definitions
from aurora.memory.text_index import TextIndex
from aurora.memory.text_index.tokenizer import extract_terms

from .advice import SearchOutcome, build_note, find_stale_paths
from .empty_filters import explain_empty_filters
from .filters import build_filter
from .patterns import read_marks
from .phrases import extract_phrase_terms, find_matching_chunks
from .preview import build_preview
from .query import parse_query, weaken_words
from .record_vectors import MAX_NEW_AHEAD, RecordVectors
from .session import SearchSession

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.embeddings import Embedder
    from aurora.memory.search.ranking import SelectedChunk
    from aurora.memory.storage import Store, Tables
    from aurora.memory.text_index import PostingList

    from .options import SearchOptions
    from .query import Query

_CONFIDENCE_SAMPLE = 3
"""Best chunks that determine the confidence of a result."""


class _Restriction(NamedTuple):
    """Documents and chunks that filters and phrases allow.

    Attributes:
        ignored_quotes: True when no chunk contains the quoted phrases, so that they do not restrict the search.
    """

    visible: VisibleScope
    ignored_quotes: bool


class Searcher:
    """Searcher of one store, with indexes in memory that follow it; thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._vectors = VectorIndex()
        self._record_vectors = RecordVectors(store)
        self._text_index = TextIndex()
        self._lock = threading.Lock()
        self._epoch = store.epoch
        self._cached_roles: tuple[TextIndex | None, FileRoles] = (None, FileRoles(()))

    def warm_up(self) -> None:
        """Load the embedder and all vectors ahead of the next search."""
        embedder = get_embedder()
        with self._store.begin_read() as db:
            generation = _read_generation(db.meta.get_all())
            index = self._refresh(db, generation, embedder, whole=True)
            if embedder and _has_records(index):
                self._record_vectors.refresh(db, generation, MAX_NEW_AHEAD)
        if embedder:
            embedder.warm_up()

    def search(self, text: str, options: SearchOptions) -> SearchResult:
        """Return the chunks that match a query best.

        Raises:
            Fault: INVALID_INPUT for invalid options; faults of the store.
        """
        options.validate()
        query = parse_query(text)
        embedder = get_embedder() if query.text and options.embeddings else None
        with self._store.begin_read() as db:
            meta = db.meta.get_all()
            query = weaken_words(query, _extract_project_words(meta.get("root", "")))
            index = self._refresh(db, _read_generation(meta), embedder)
            postings = _read_postings(db, index, query, _read_generation(meta))
            restriction = _restrict_search(db, index, query, postings, options)
            uses_extra = embedder is not None and _asks_for_records(query, options) and _has_records(index)
            query = confirm_name(db, query, postings)
            session = SearchSession(
                db=db,
                text_index=index,
                vectors=self._vectors,
                roles=self._get_roles(index),
                query=query,
                postings=postings,
                symbols=find_definitions(db, query, postings),
                visible=restriction.visible,
                embedding=embedder.embed([query.text])[0] if embedder else None,
                limit=options.limit + options.offset,
                record_cosines=self._record_vectors.compare(db, index.generation, query.text) if uses_extra else None,
            )
            ranked = session.rank_chunks(options.types)
            page = ranked.chunks[options.offset : options.offset + options.limit]
            outcome = SearchOutcome(
                query=query,
                hits=tuple(_build_hits(db, page, query, options.root or meta.get("root"))),
                confidence=max((chunk.fit for chunk in ranked.chunks[:_CONFIDENCE_SAMPLE]), default=0.0),
                chunk_count=sum(chunks for chunks, _ in index.totals),
                empty_filters="" if ranked.total else explain_empty_filters(db, options),
                ignored_quotes=restriction.ignored_quotes,
                extra_error=get_semantic_error() if uses_extra else "",
            )
        state = describe_state(self._store, meta)
        load_error = get_load_error() if query.text and options.embeddings else ""
        note = build_note(outcome, state, load_error, options.index_step)
        return SearchResult(outcome.hits, round(outcome.confidence, 3), ranked.total, note)

    def _refresh(self, db: Tables, generation: int, embedder: Embedder | None, *, whole: bool = False) -> TextIndex:
        """Refresh the indexes in memory from the store; return the text index."""
        with self._lock:
            if self._epoch != self._store.epoch:  # the database file was replaced: drop everything in memory
                self._vectors, self._text_index, self._epoch = VectorIndex(), TextIndex(), self._store.epoch
                self._record_vectors = RecordVectors(self._store)
            index = self._text_index = self._text_index.refresh(db, generation)
        if embedder:
            self._vectors.refresh(db, generation, whole=whole)
        return index

    def _get_roles(self, index: TextIndex) -> FileRoles:
        """Return the roles of the indexed files, computed once per index."""
        with self._lock:
            if self._cached_roles[0] is not index:
                self._cached_roles = (index, FileRoles(index.docs.paths))
            return self._cached_roles[1]


def _asks_for_records(query: Query, options: SearchOptions) -> bool:
    """Return True for a question in words that facts or patterns may answer."""
    return query.kind == "question" and not query.only_names and not {"know", "reas"}.isdisjoint(options.types)


def _has_records(index: TextIndex) -> bool:
    """Return True when any document of the index has no file."""
    return index.get_or_compute("has records", lambda: None in index.docs.paths)


def _extract_project_words(root: str) -> frozenset[str]:
    """Extract the words of the project's own name, which is that of its folder."""
    return frozenset(extract_terms(root.rstrip("/").rpartition("/")[2]))


def _read_generation(meta: Mapping[str, str]) -> int:
    return int(meta.get("generation", 0))


def _read_postings(db: Tables, index: TextIndex, query: Query, generation: int) -> Mapping[str, PostingList]:
    """Read the posting lists of the query's words, names and phrases."""
    names = extract_name_terms(query.names)
    terms = [*query.words, *names.values(), *extract_phrase_terms(query.phrases)]
    return index.read_postings(db, terms, generation=generation)


def _restrict_search(
    db: Tables, index: TextIndex, query: Query, postings: Mapping[str, PostingList], options: SearchOptions
) -> _Restriction:
    """Find what filters and phrases allow; ignore phrases without a match."""
    search_filter = build_filter(db, options)
    chunks = find_matching_chunks(db, postings, query.phrases, search_filter.kinds)
    ignored = bool(query.phrases) and chunks is not None and not len(chunks) and not query.only_phrases
    if ignored:
        chunks = find_matching_chunks(db, postings, (), search_filter.kinds)
    return _Restriction(VisibleScope(search_filter.mask_documents(index.docs.paths), chunks), ignored)


def _build_hits(db: Tables, page: Sequence[SelectedChunk], query: Query, root: Path | str | None) -> Iterator[Hit]:
    """Build the hits of the selected chunks; omit those that were deleted meanwhile."""
    chunks = db.chunks.get_by_number([selected.n for selected in page])
    marks = read_marks(db, chunks.values())
    stale = find_stale_paths(db, root, (path for chunk in chunks.values() for path in list_source_paths(chunk)))
    words = [*query.phrases, *query.terms]
    for selected in page:
        if chunk := chunks.get(selected.n):
            is_stale = not stale.isdisjoint(list_source_paths(chunk))
            yield Hit(
                chunk=chunk,
                score=round(min(selected.score, 1.0), 4),
                preview=build_preview(chunk.text, words, chunk.symbol),
                parts=explain_score(chunk.type, query.kind, selected.parts),
                stale=is_stale,
                doubtful=chunk.id in marks.doubtful or (is_stale and chunk.type == "reas"),
                adopted=chunk.path is None and is_adopted(chunk.metadata),
                confirmed=chunk.id in marks.confirmed,
            )
