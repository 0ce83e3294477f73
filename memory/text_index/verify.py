"""Verification of the inverted index against the chunks, and its rebuild."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .pack import pack_documents
from .read import decode_block
from .write import add_documents, build_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.storage import Tables

    from .pack import PackedPostings
    from .read import PostingBlock
    from .values import Document

    Hashes: TypeAlias = NDArray[np.uint64]

_MAX_PROBLEMS = 20
"""Problems that are reported at most; further ones are of the same kind."""

_BATCH = 64


def verify_index(db: Tables) -> list[str]:
    """Return the problems of the index; none when every live chunk has its postings.

    Args:
        db: an open read transaction.
    """
    return list(_verify_ranges(db))[:_MAX_PROBLEMS] or list(_verify_postings(db))[:_MAX_PROBLEMS]


def rebuild_index(db: Tables) -> int:
    """Rebuild the index from the chunks, keeping their numbers; return its document count.

    Args:
        db: an open write transaction.
    """
    db.postings.clear()
    batch: list[Document] = []
    first = count = 0
    for start, document in _iter_documents(db):
        if batch and (len(batch) >= _BATCH or start != first + sum(len(one.chunks) for one in batch)):
            add_documents(db, first, pack_documents(batch))
            batch = []
        first = first if batch else start
        batch.append(document)
        count += 1
    add_documents(db, first, pack_documents(batch))
    return count


def _verify_ranges(db: Tables) -> Iterator[str]:
    """Yield documents that do not cover their chunks."""
    for name, declared, existing, lengths, own in db.postings.count_coverage():
        if not declared == existing == lengths == own:
            yield f'"{name}" covers {declared} chunks, but {existing} exist'
    if outside := db.postings.count_uncovered_chunks():
        yield f"{outside} chunks are in no document of the text index"
    if lost := db.postings.count_unlisted_segments():
        yield f"{lost} segments of the text index are not listed, so that no search reads them"


def _verify_postings(db: Tables) -> Iterator[str]:
    """Yield chunks whose postings differ from their text."""
    size = db.chunks.get_last_number() + 1
    stored, expected = ChunkChecksums(size), ChunkChecksums(size)
    for first, body in db.postings.iter_blocks():
        stored.add_block(body, first)
    documents = _iter_documents(db)
    while some := list(islice(documents, _BATCH)):
        numbers = [n for start, document in some for n in range(start, start + len(document.chunks))]
        expected.add_packed(pack_documents([document for _, document in some]), numbers)
    wrong = np.flatnonzero(stored.values != expected.values).tolist()
    for n, name in sorted(db.chunks.get_paths(wrong).items()):
        yield f'chunk {n} of "{name}" has postings that do not match its text'


def _iter_documents(db: Tables) -> Iterator[tuple[int, Document]]:
    """Yield every document with the number of its first chunk."""
    run: list[tuple[int, Chunk]] = []
    for n, chunk in db.chunks.iter_all():
        if run and (chunk.path is None or chunk.path != run[0][1].path or n != run[-1][0] + 1):
            yield _build_document(run)
            run = []
        run.append((n, chunk))
    if run:
        yield _build_document(run)


def _build_document(run: list[tuple[int, Chunk]]) -> tuple[int, Document]:
    first, chunk = run[0]
    return first, build_document(chunk.type, chunk.path, [one for _, one in run])


_HASH_MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: a multiplication by it spreads over all bits (Knuth, TAOCP 3, 6.4)."""


class ChunkChecksums:
    """64-bit checksum per chunk, independent of the order of postings.

    Args:
        size: one more than the greatest chunk number; postings of other chunks are ignored.
    """

    def __init__(self, size: int) -> None:
        self.values: Hashes = np.zeros(size, np.uint64)
        self._hashes: dict[bytes, int] = {}

    def add_block(self, block: bytes, first: int) -> None:
        """Add the postings of a block; ignore an invalid one."""
        if whole := decode_block(block):
            self._add_postings(whole, np.frombuffer(whole.fields[0], "<u4").astype(np.int64) + first)

    def add_packed(self, packed: PackedPostings, numbers: Sequence[int]) -> None:
        """Add the postings of documents whose chunks have these numbers."""
        real = np.asarray(numbers, np.int64)
        for _, block in packed.blocks:
            if whole := decode_block(block):
                self._add_postings(whole, real[np.frombuffer(whole.fields[0], "<u4")])

    def _add_postings(self, block: PostingBlock, numbers: NDArray[np.int64]) -> None:
        hashes = np.fromiter(map(self._hash_term, block.terms), np.uint64, len(block.terms))
        body, name, path = (np.frombuffer(part, np.uint8).astype(np.uint64) for part in block.fields[1:])
        mixed = np.repeat(hashes, block.counts) + body + (name << np.uint64(8)) + (path << np.uint64(16))
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(_HASH_MULTIPLIER)
        known = numbers < len(self.values)
        np.add.at(self.values, numbers[known], mixed[known])

    def _hash_term(self, term: bytes) -> int:
        found = self._hashes.get(term)
        if found is None:
            sealed = hashlib.blake2b(term, digest_size=8).digest()
            found = self._hashes[term] = int.from_bytes(sealed, "little")
        return found
