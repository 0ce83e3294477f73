"""Writing the words' index: documents enter with their postings, and small segments are merged when they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .merge import merged
from .pack import pack
from .values import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.model.pieces import Piece
    from aurora.memory.sqlite.tables.all import Tables
    from aurora.memory.sqlite.tables.postings import Stretch

    from .pack import Packed
    from .values import DocRow

MANY = 128
"""Segments from which on the small ones are merged: a search reads one block of each segment for each of its words."""
_SMALL = 40_000
"""Postings of a segment that is small."""


def document(type_: str, path: str | None, chunks: Sequence[Chunk | Piece]) -> Document:
    """A file with these chunks, or a fact without a path, as the index takes it."""
    return Document(type_, path, [(chunk.text, _names(chunk)) for chunk in chunks])


def _names(chunk: Chunk | Piece) -> str:
    return "\n".join([chunk.symbol, *map(str, chunk.metadata.get("defines", ()))])


def add(db: Tables, first: int, packed: Packed) -> None:
    """Enter documents and their postings, their chunks numbered from `first` on.

    Args:
        db: an open write transaction.
        first: the number of the first chunk of the first document.
        packed: documents and postings.
    """
    if not packed.docs:
        return
    db.words.enter(_numbered(first, packed.docs))
    db.words.put(db.words.begin_segment(first, packed.postings), packed.blocks)


def _numbered(first: int, docs: Iterable[DocRow]) -> Iterator[Stretch]:
    n = first
    for doc in docs:
        counts = (doc.body_length, doc.name_length, doc.path_length, doc.lengths)
        yield (n, n + doc.chunks - 1, doc.type, doc.path, *counts)
        n += doc.chunks


def add_one(db: Tables, n: int, chunk: Chunk) -> None:
    """Enter a chunk that no file holds."""
    add(db, n, pack([document(chunk.type, None, [chunk])]))


def add_facts(db: Tables) -> None:
    """Enter every chunk that no file holds, into an index that has none of them."""
    for n, record in db.chunks.records():
        add_one(db, n, record)


def tidy(db: Tables) -> bool:
    """Merge the small segments into one, leaving out what is gone, when there are too many; whether it did.

    What it costs follows from how much there is in the small segments, and it happens once in some two hundred writes.
    """
    every = db.words.segments()
    if len(every) <= MANY:
        return False
    small = db.words.segments(below=_SMALL)
    merge(db, small if len(small) > MANY // 2 else every)
    return True


def merge(db: Tables, segments: Sequence[int]) -> None:
    """Make one segment of these, without the postings of chunks that are gone."""
    segment = db.words.begin_segment(0, 0)
    for postings, blocks in merged(db, segments):
        db.words.put(segment, blocks)
        db.words.count_more(segment, postings)
    db.words.remove(segments)
