"""Writing the words' index: documents enter with their postings, and small segments are merged when they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lexicon_merge import merged
from .postings import Document, pack
from .sqlite.rows import ask
from .store_chunks import COLUMNS, chunk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from .chunk_piece import Piece
    from .model import Chunk
    from .postings import Packed

_DOC = """
INSERT INTO docs (first_n, last_n, type, path, body_length, name_length, path_length, lengths)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_BLOCK = "INSERT INTO postings (segment, term, body) VALUES (?, ?, ?)"
MANY = 128
"""Segments from which on the small ones are merged: a search reads one block of each segment for each of its words."""
_SMALL = 40_000
"""Postings of a segment that is small."""


def document(type_: str, path: str | None, chunks: Sequence[Chunk | Piece]) -> Document:
    """A file with these chunks, or a fact without a path, as the index takes it."""
    return Document(type_, path, [(chunk.text, _names(chunk)) for chunk in chunks])


def _names(chunk: Chunk | Piece) -> str:
    return "\n".join([chunk.symbol, *map(str, chunk.metadata.get("defines", ()))])


def next_number(db: apsw.Connection) -> int:
    """The number that the next chunk will have; none is used twice."""
    ((last,),) = ask(db, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunks'")
    return int(last) + 1


def add(db: apsw.Connection, first: int, packed: Packed) -> None:
    """Enter documents and their postings, their chunks numbered from `first` on.

    Args:
        db: an open write transaction.
        first: the number of the first chunk of the first document.
        packed: documents and postings.
    """
    if not packed.docs:
        return
    n = first
    for doc in packed.docs:
        counts = (doc.body_length, doc.name_length, doc.path_length, doc.lengths)
        db.execute(_DOC, (n, n + doc.chunks - 1, doc.type, doc.path, *counts))
        n += doc.chunks
    segment = _segment(db, first, packed.postings)
    db.executemany(_BLOCK, ((segment, term, body) for term, body in packed.blocks))


def _segment(db: apsw.Connection, first: int, postings: int) -> int:
    sql = "INSERT INTO segments (first_n, postings) VALUES (?, ?) RETURNING segment"
    ((segment,),) = ask(db, sql, (first, postings))
    return int(segment)


def add_one(db: apsw.Connection, n: int, chunk: Chunk) -> None:
    """Enter a chunk that no file holds."""
    add(db, n, pack([document(chunk.type, None, [chunk])]))


def add_facts(db: apsw.Connection) -> None:
    """Enter every chunk that no file holds, into an index that has none of them."""
    for n, *row in ask(db, f"SELECT n, {COLUMNS} FROM chunks WHERE path IS NULL ORDER BY n"):  # noqa: S608 - a constant
        add_one(db, n, chunk_of(row))


def tidy(db: apsw.Connection) -> bool:
    """Merge the small segments into one, leaving out what is gone, when there are too many; whether it did.

    What it costs follows from how much there is in the small segments, and it happens once in some two hundred writes.
    """
    ((count,),) = ask(db, "SELECT count(*) FROM segments")
    if count <= MANY:
        return False
    small = [segment for (segment,) in ask(db, "SELECT segment FROM segments WHERE postings < ?", (_SMALL,))]
    merge(db, small if len(small) > MANY // 2 else [segment for (segment,) in ask(db, "SELECT segment FROM segments")])
    return True


def merge(db: apsw.Connection, segments: Sequence[int]) -> None:
    """Make one segment of these, without the postings of chunks that are gone."""
    segment = _segment(db, 0, 0)
    for postings, blocks in merged(db, segments):
        db.executemany(_BLOCK, ((segment, term, body) for term, body in blocks))
        db.execute("UPDATE segments SET postings = postings + ? WHERE segment = ?", (postings, segment))
    db.executemany("DELETE FROM postings WHERE segment = ?", ((old,) for old in segments))
    db.executemany("DELETE FROM segments WHERE segment = ?", ((old,) for old in segments))
