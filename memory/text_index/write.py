"""Writes to the inverted index: adding documents, merging small segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .merge import iter_merged_postings
from .pack import pack_documents
from .values import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model import Chunk, DocumentRange, Piece
    from aurora.memory.storage import Tables

    from .pack import PackedPostings
    from .values import DocumentRow

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
    merge_segments(db, small if len(small) > MAX_SEGMENTS // 2 else every)
    return True


def merge_segments(db: Tables, segments: Sequence[int]) -> None:
    """Merge these segments into one, without postings of deleted chunks."""
    segment = db.postings.begin_segment(0, 0)
    for postings, blocks in iter_merged_postings(db, segments):
        db.postings.insert_blocks(segment, blocks)
        db.postings.add_posting_count(segment, postings)
    db.postings.remove_segments(segments)
