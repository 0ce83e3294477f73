"""Is the words' index what the chunks say? Whole, for `check`; and made anew from the chunks, for `repair`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from . import lexicon_write
from .lexicon_sums import Sums
from .postings import pack
from .sqlite.rows import ask, pairs
from .store_chunks import COLUMNS, chunk_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from .model import Chunk
    from .postings import Document

_MOST = 20
"""Faults that are told; when more is wrong, the rest is wrong in the same way."""
_BATCH = 64


def faults(db: apsw.Connection) -> list[str]:
    """What is wrong with the index, in words; empty when every live chunk has just its postings.

    Args:
        db: an open read transaction.
    """
    return list(_ranges(db))[:_MOST] or list(_postings(db))[:_MOST]


def rebuild(db: apsw.Connection) -> int:
    """Make the index anew from the chunks; how many documents it has. Chunks are given no new numbers.

    Args:
        db: an open write transaction.
    """
    for table in ("docs", "segments", "postings"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - three constants
    batch: list[Document] = []
    first = count = 0
    for start, document in _documents(db):
        if batch and (len(batch) >= _BATCH or start != first + sum(len(one.chunks) for one in batch)):
            lexicon_write.add(db, first, pack(batch))
            batch = []
        first = first if batch else start
        batch.append(document)
        count += 1
    lexicon_write.add(db, first, pack(batch))
    return count


def _ranges(db: apsw.Connection) -> Iterator[str]:
    """Documents that do not cover their chunks."""
    rows = ask(
        db,
        "SELECT coalesce(docs.path, 'fact ' || first_n), last_n - first_n + 1, count(chunks.n), length(lengths) / 2, "
        "sum(coalesce(chunks.path, '') = coalesce(docs.path, ''))"
        "FROM docs LEFT JOIN chunks ON chunks.n BETWEEN first_n AND last_n GROUP BY first_n",
    )
    for name, meant, held, lengths, own in rows:
        if not meant == held == lengths == own:
            yield f'"{name}" stands for {meant} chunks, and {held} are there'
    ((outside,),) = ask(
        db,  # by the last document that begins before it: to ask each document would be quadratic
        "SELECT count(*) FROM chunks WHERE NOT coalesce("
        "(SELECT last_n >= chunks.n FROM docs WHERE first_n <= chunks.n ORDER BY first_n DESC LIMIT 1), 0)",
    )
    if outside:
        yield f"{outside} chunks are in no document of the words' index"
    ((lost,),) = ask(
        db, "SELECT count(DISTINCT segment) FROM postings WHERE segment NOT IN (SELECT segment FROM segments)"
    )
    if lost:
        yield f"{lost} segments of the words' index are not listed, so that no search reads them"


def _postings(db: apsw.Connection) -> Iterator[str]:
    """Chunks whose postings are not those of their text."""
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never look at postings

    ((size,),) = ask(db, "SELECT coalesce(max(n), 0) + 1 FROM chunks")
    held, meant = Sums(size), Sums(size)
    for first, body in db.execute("SELECT first_n, body FROM postings JOIN segments USING (segment)"):
        held.add(body, first)
    documents = _documents(db)
    while some := list(islice(documents, _BATCH)):
        numbers = [n for start, document in some for n in range(start, start + len(document.chunks))]
        meant.add_packed(pack([document for _, document in some]), numbers)
    wrong = np.flatnonzero(held.values != meant.values).tolist()
    named = pairs(
        db, "SELECT n, coalesce(path, id) FROM chunks WHERE n IN (SELECT value FROM json_each(?))", [str(wrong)]
    )
    for n, name in sorted(named.items()):
        yield f'chunk {n} of "{name}" is not indexed by its own words'


def _documents(db: apsw.Connection) -> Iterator[tuple[int, Document]]:
    """Every document with the number of its first chunk, out of the chunks as they stand."""
    rows = db.execute(f"SELECT n, {COLUMNS} FROM chunks ORDER BY n")  # noqa: S608 - a constant
    run: list[tuple[int, Chunk]] = []
    for n, *row in rows:
        chunk = chunk_of(row)
        if run and (chunk.path is None or chunk.path != run[0][1].path or n != run[-1][0] + 1):
            yield _document(run)
            run = []
        run.append((n, chunk))
    if run:
        yield _document(run)


def _document(run: list[tuple[int, Chunk]]) -> tuple[int, Document]:
    first, chunk = run[0]
    return first, lexicon_write.document(chunk.type, chunk.path, [one for _, one in run])
