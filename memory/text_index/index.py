"""Inverted index: the document table in memory, posting lists from the database."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from .read import decode_postings, encode_term_line, find_postings
from .tokens import extract_identifier_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import ChunkType, DocumentRange
    from aurora.memory.storage.store import Tables

    from .read import PackedFields, PostingList

    Numbers = NDArray[np.int64]

ResultT = TypeVar("ResultT")


class DocumentTable(NamedTuple):
    """Table of all documents (files and records) in chunk order; one row per document.

    Attributes:
        first_n, last_n: numbers of the first and last chunk.
        type: positions in `TextIndex.types`.
        paths: None for a record.
        body_length, name_length, path_length: in terms.
        offset: position of each document's first chunk in `lengths`.
        lengths: the terms in each chunk's text, at most 65,535.
    """

    first_n: Numbers
    last_n: Numbers
    type: Numbers
    paths: tuple[str | None, ...]
    body_length: Numbers
    name_length: Numbers
    path_length: Numbers
    offset: Numbers
    lengths: NDArray[np.uint16]


class TextIndex:
    """Snapshot of the inverted index; immutable, replaced by `refresh`."""

    types: ClassVar[tuple[ChunkType, ...]] = ("code", "know", "reas")

    def __init__(self, generation: int = -1, docs: DocumentTable | None = None) -> None:
        self.generation = generation
        self.docs = docs or _build_documents([])
        self._cache = PostingsCache()
        self._memo: dict[Hashable, Any] = {}
        self.doc_at = _map_chunks(self.docs)
        """Chunk number -> position of its document; -1 for a deleted chunk."""
        self.totals = tuple(self._count_type(type_) for type_ in range(len(self.types)))
        """Per type the number of chunks and of documents."""

    def refresh(self, db: Tables, generation: int) -> TextIndex:
        """Return this index, or a new one when the store has a later generation."""
        if generation <= self.generation:  # a reader that began earlier must not bring back an older state
            return self
        return TextIndex(generation, _build_documents(db.postings.list_documents()))

    def read_postings(self, db: Tables, terms: Sequence[str], *, generation: int = -1) -> dict[str, PostingList]:
        """Read the posting lists of these terms; some postings may be of deleted chunks.

        Args:
            db: a read transaction.
            terms: as `tokens.extract_terms` returns them.
            generation: the store's in that transaction. If it is this index's, the lists are cached;
                a reader that began earlier bypasses the cache.
        """
        cache = self._cache if generation == self.generation else PostingsCache()
        found = {term: cache.get(term) for term in sorted(set(terms))}
        missing = [term for term, posting in found.items() if posting is None]
        if missing:
            for term, fields in _load_fields(db, missing).items():
                found[term] = posting = decode_postings(fields)
                cache.put(term, posting)
        return {term: posting for term, posting in found.items() if posting is not None and len(posting.n)}

    def get_or_compute(self, key: Hashable, compute: Callable[[], ResultT]) -> ResultT:
        """Return the cached value for this key; compute it once from the documents."""
        if key not in self._memo:
            self._memo[key] = compute()
        value: ResultT = self._memo[key]
        return value

    def find_document(self, n: int) -> int | None:
        """Find the position of the document with chunk `n`; None when it is deleted."""
        # A posting may name a chunk that was deleted, or on a damaged page any number.
        place = int(self.doc_at[n]) if 0 <= n < len(self.doc_at) else -1
        return place if place >= 0 else None

    def get_lengths(self, numbers: Numbers) -> NDArray[np.uint16]:
        """Return the number of terms in each of these live chunks."""
        docs = self.docs
        place = self.doc_at[numbers]
        lengths: NDArray[np.uint16] = docs.lengths[docs.offset[place] + numbers - docs.first_n[place]]
        return lengths

    def compute_mean_length(self, type_: int) -> float:
        """Compute the mean number of terms in a chunk of a type; 0 without chunks."""
        chunks = self.totals[type_][0]
        return float(self.docs.body_length[self.docs.type == type_].sum()) / chunks if chunks else 0.0

    def _count_type(self, type_: int) -> tuple[int, int]:
        of_type = self.docs.type == type_
        chunks = (self.docs.last_n[of_type] - self.docs.first_n[of_type] + 1).sum()
        return int(chunks), int(of_type.sum())


def find_known_identifiers(db: Tables, identifiers: Sequence[str]) -> frozenset[str]:
    """Find the identifiers that are terms of the index, ignoring case and the ending of the last word.

    Args:
        db: a read transaction.
        identifiers: words of letters, digits and underscores.
    """
    terms = {one: found[0] for one in identifiers if (found := extract_identifier_terms(one))}
    # The first term is the whole identifier, its parts follow.
    known = _load_fields(db, sorted(set(terms.values())))
    return frozenset(one for one, term in terms.items() if known[term])


def _load_fields(db: Tables, terms: Sequence[str]) -> dict[str, list[tuple[int, PackedFields]]]:
    """Load the packed postings of each term: the first chunk of each block, and its fields."""
    parts: dict[str, list[tuple[int, PackedFields]]] = {term: [] for term in terms}
    lines = {term: encode_term_line(term) for term in terms}
    for term, first, block in db.postings.find_blocks(terms):
        if fields := find_postings(block, lines[term]):
            parts[term].append((first, fields))
    return parts


def _build_documents(rows: Sequence[DocumentRange]) -> DocumentTable:
    columns = list(zip(*rows, strict=True)) if rows else [()] * 8
    first, last = np.array(columns[0], np.int64), np.array(columns[1], np.int64)
    sizes = last - first + 1
    # A damaged row may have a blob of another size, which would shift the lengths of all documents behind it.
    lengths = b"".join(map(_fit_blob, columns[7], (2 * sizes).tolist()))
    place_of = {type_: place for place, type_ in enumerate(TextIndex.types)}
    types = np.array([place_of[type_] for type_ in columns[2]], np.int64)
    body, name, path = (np.array(columns[place], np.int64) for place in (4, 5, 6))
    offset = np.cumsum(sizes) - sizes
    return DocumentTable(first, last, types, tuple(columns[3]), body, name, path, offset, np.frombuffer(lengths, "<u2"))


def _map_chunks(docs: DocumentTable) -> NDArray[np.int32]:
    # An array in place of a dict: each search looks up thousands of chunks at once.
    out = np.full(int(docs.last_n[-1]) + 2 if len(docs.last_n) else 1, -1, np.int32)
    sizes = docs.last_n - docs.first_n + 1
    numbers = np.repeat(docs.first_n - docs.offset, sizes) + np.arange(len(docs.lengths))
    out[numbers] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return out


def _fit_blob(blob: object, size: int) -> bytes:
    """Cut or pad a blob to this size."""
    if isinstance(blob, bytes):
        return blob if len(blob) == size else blob[:size].ljust(size, b"\0")
    return bytes(size)


MAX_POSTINGS = 1 << 20
"""Cached postings at most, at seven bytes each."""


class PostingsCache:
    """LRU cache of posting lists by term; thread-safe.

    Args:
        most: the maximum number of postings of all terms together.
    """

    def __init__(self, most: int = MAX_POSTINGS) -> None:
        self._limit = most
        self._total = 0
        self._by_term: dict[str, PostingList] = {}
        self._lock = threading.Lock()

    def get(self, term: str) -> PostingList | None:
        """Return the postings of a term and mark it as most recent; None when not cached."""
        with self._lock:
            posting = self._by_term.pop(term, None)
            if posting is not None:
                self._by_term[term] = posting
            return posting

    def put(self, term: str, posting: PostingList) -> None:
        """Cache a term's postings and evict the least recently used."""
        with self._lock:
            old = self._by_term.pop(term, None)
            self._by_term[term] = posting
            self._total += _measure_size(posting) - (_measure_size(old) if old else 0)
            # A dict keeps the order of insertion, and a hit moves a term to its end, so the first is the oldest.
            while self._total > self._limit:
                oldest = next(iter(self._by_term))
                self._total -= _measure_size(self._by_term.pop(oldest))


def _measure_size(posting: PostingList) -> int:
    """Return the cost of a posting list; an empty one has a cost too."""
    return len(posting.n) + 16
