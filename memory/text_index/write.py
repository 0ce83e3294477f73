"""Writes to the inverted index: documents, merges of segments, verification and rebuild."""

from __future__ import annotations

import hashlib
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .pack import pack_documents
from .read import Document, build_blocks, decode_block
from .runs import HASH_MULTIPLIER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import Chunk, DocumentRange, Piece
    from aurora.memory.storage.store import Tables

    from .pack import PackedPostings
    from .read import DocumentRow, PostingBlock

    Hashes: TypeAlias = NDArray[np.uint64]
    Numbers = NDArray[np.int64]

_MAX_PROBLEMS = 20
"""Problems that are reported at most; further ones are of the same kind."""

_BATCH = 64


def verify_index(db: Tables) -> list[str]:
    """Return the problems of the index; none when every live chunk has its postings.

    Args:
        db: an open read transaction.
    """
    # Where documents do not cover their chunks, each of these would differ in its postings, too.
    return list(_verify_ranges(db))[:_MAX_PROBLEMS] or list(_verify_postings(db))[:_MAX_PROBLEMS]


def rebuild_index(db: Tables) -> int:
    """Rebuild the index from the chunks, keeping their numbers; return its document count.

    Args:
        db: an open write transaction.
    """
    # The chunks keep their numbers, so vectors and caches stay valid.
    db.postings.clear()
    batch: list[Document] = []
    first = count = 0
    for start, document in _iter_documents(db):
        # Documents are packed together as long as their numbers follow each other without a gap.
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
        # Sums of mixed values, so that the order of the postings does not count.
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(HASH_MULTIPLIER)
        # A damaged block may name any number.
        known = numbers < len(self.values)
        np.add.at(self.values, numbers[known], mixed[known])

    def _hash_term(self, term: bytes) -> int:
        found = self._hashes.get(term)
        if found is None:
            sealed = hashlib.blake2b(term, digest_size=8).digest()
            found = self._hashes[term] = int.from_bytes(sealed, "little")
        return found


MAX_SEGMENTS = 128
"""Segments above which small ones are merged: a search reads one block per segment and term."""


_SMALL_SEGMENT = 40_000
"""Postings of a small segment at most."""


def build_document(type_: str, path: str | None, chunks: Sequence[Chunk | Piece]) -> Document:
    """Build the document of a file with these chunks, or of a record without a path."""
    return Document(type_, path, [(chunk.text, _join_names(chunk)) for chunk in chunks])


def _join_names(chunk: Chunk | Piece) -> str:
    return "\n".join([chunk.symbol, *map(str, chunk.metadata.get("defines", ()))])


def add_documents(db: Tables, first: int, packed: PackedPostings) -> None:
    """Add documents and their postings, with chunks numbered from `first`.

    Args:
        db: an open write transaction.
        first: the number of the first chunk of the first document.
        packed: documents and postings.
    """
    if not packed.docs:
        return
    db.postings.insert_documents(_number_documents(first, packed.docs))
    db.postings.insert_blocks(db.postings.begin_segment(first, packed.postings), packed.blocks)


def _number_documents(first: int, docs: Iterable[DocumentRow]) -> Iterator[DocumentRange]:
    n = first
    for doc in docs:
        counts = (doc.body_length, doc.name_length, doc.path_length, doc.lengths)
        yield (n, n + doc.chunks - 1, doc.type, doc.path, *counts)
        n += doc.chunks


def add_chunk(db: Tables, n: int, chunk: Chunk) -> None:
    """Add a chunk without a file."""
    add_documents(db, n, pack_documents([build_document(chunk.type, None, [chunk])]))


def add_records(db: Tables) -> None:
    """Add every chunk without a file to an index that has none of them."""
    for n, record in db.chunks.iter_records():
        add_chunk(db, n, record)


def compact_segments(db: Tables) -> bool:
    """Merge the small segments when there are too many; return True if so.

    Its cost depends on the size of the small segments, and it happens once in some 200 writes.
    """
    every = db.postings.list_segments()
    if len(every) <= MAX_SEGMENTS:
        return False
    small = db.postings.list_segments(below=_SMALL_SEGMENT)
    # Where most segments are large already, merging the few small ones would be due again after a few writes.
    merge_segments(db, small if len(small) > MAX_SEGMENTS // 2 else every)
    return True


def merge_segments(db: Tables, segments: Sequence[int]) -> None:
    """Merge these segments into one, without postings of deleted chunks."""
    # Its postings come from many places, so they are counted from chunk 0.
    segment = db.postings.begin_segment(0, 0)
    for postings, blocks in iter_merged_postings(db, segments):
        db.postings.insert_blocks(segment, blocks)
        db.postings.add_posting_count(segment, postings)
    db.postings.remove_segments(segments)


_BLOCKS_PER_RANGE = 8192
"""Blocks per range of terms; some ten megabytes."""


def iter_merged_postings(db: Tables, segments: Sequence[int]) -> Iterator[tuple[int, Iterator[tuple[str, bytes]]]]:
    """Yield the live postings of these segments as blocks of one segment from number 0.

    Args:
        db: an open transaction.
        segments: their numbers.

    Yields:
        Per range of terms the number of postings, and their blocks, each with its first term.
    """
    live = np.array(db.postings.list_ranges(), np.int64).reshape(-1, 2)
    # Range by range of terms, so that a merge of any size takes some ten megabytes.
    lows = list(dict.fromkeys(db.postings.list_first_terms(segments)[::_BLOCKS_PER_RANGE]))
    for low, high in zip_longest(lows, lows[1:]):
        bodies = db.postings.iter_blocks_between(segments, low, high)
        blocks = [(first, block) for first, body in bodies if (block := decode_block(body))]
        end = None if high is None else high.encode()
        yield _merge_range(blocks, low.encode(), end, live)


def _merge_range(
    blocks: Sequence[tuple[int, PostingBlock]], low: bytes, high: bytes | None, live: Numbers
) -> tuple[int, Iterator[tuple[str, bytes]]]:
    """Merge the postings of the terms from `low` to below `high`, by term and chunk."""
    terms = [term for _, block in blocks for term in block.terms]
    ordered = sorted({term for term in terms if low <= term and (high is None or term < high)})
    place = {term: number for number, term in enumerate(ordered)}
    rank = np.fromiter((place.get(term, -1) for term in terms), np.int64, len(terms))
    term = np.repeat(rank, _concatenate([block.counts for _, block in blocks]))
    n = _concatenate([np.frombuffer(block.fields[0], "<u4").astype(np.int64) + first for first, block in blocks])
    selected = np.flatnonzero((term >= 0) & _is_live(n, live))
    # Term and chunk in one number: one sort orders by both.
    order = selected[np.argsort((term[selected] << 32) | n[selected])]
    body, name, path = (_join_field(blocks, field)[order].tobytes() for field in (1, 2, 3))
    fields = (n[order].astype("<u4").tobytes(), body, name, path)
    counts = np.bincount(term[order], minlength=len(ordered))
    present = np.flatnonzero(counts)
    spelt = [ordered[number] for number in present.tolist()]
    return len(order), build_blocks(spelt, np.cumsum(counts[present]), fields)


def _join_field(blocks: Sequence[tuple[int, PostingBlock]], field: int) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(block.fields[field] for _, block in blocks), np.uint8)


def _is_live(n: Numbers, live: Numbers) -> NDArray[np.bool_]:
    if not len(live):
        return np.zeros(len(n), np.bool_)
    at = np.searchsorted(live[:, 0], n, "right") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (n <= live[at, 1])
    return inside


def _concatenate(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
