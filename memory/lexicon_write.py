"""Writing the words' index: documents enter with their postings, and small segments are merged when they are many."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from .postings import Document, pack
from .postings_read import unpack
from .store_chunks import COLUMNS, chunk_of
from .store_rows import ask

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
_OF_SEGMENT = "SELECT term, segment, body FROM postings WHERE segment = ?"
_POSTING = "INSERT INTO postings (term, segment, body) VALUES (?, ?, ?)"
MANY = 128
"""Segments from which on the small ones are merged: a search reads one row of each segment for each of its words."""
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
    segment = _segment(db, packed.ends[-1] if packed.ends else 0)
    db.executemany(_POSTING, ((term, segment, body) for term, body in packed.rows(first)))


def _segment(db: apsw.Connection, postings: int) -> int:
    ((segment,),) = ask(db, "INSERT INTO segments (postings) VALUES (?) RETURNING segment", (postings,))
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
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never index

    live = np.array(ask(db, "SELECT first_n, last_n FROM docs ORDER BY first_n"), np.int64).reshape(-1, 2)
    gone = set(segments)
    rows = [row for segment in sorted(gone) for row in ask(db, _OF_SEGMENT, (segment,))]
    out = []
    for term, some in groupby(sorted(rows, key=lambda row: (row[0], row[1])), key=lambda row: row[0]):
        posting = unpack([body for _, _, body in some])
        place = np.searchsorted(live[:, 0], posting.n, "right") - 1
        kept = (place >= 0) & (posting.n <= live[place, 1]) if len(live) else np.zeros(len(posting.n), np.bool_)
        if kept.any():
            fields = (posting.n[kept].astype("<u4"), posting.body[kept], posting.name[kept], posting.path[kept])
            out.append((term, b"".join(field.tobytes() for field in fields), int(kept.sum())))
    db.executemany("DELETE FROM postings WHERE segment = ?", ((segment,) for segment in segments))
    db.executemany("DELETE FROM segments WHERE segment = ?", ((segment,) for segment in segments))
    segment = _segment(db, sum(count for *_, count in out))
    db.executemany(_POSTING, ((term, segment, body) for term, body, _ in out))
