"""Is the words' index what the chunks say? Whole, for `check`; and made anew from the chunks, for `repair`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from . import write as lexicon_write
from .checksums import Sums
from .pack import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.model.chunks import Chunk
    from aurora.memory.sqlite.tables.all import Tables

    from .values import Document

_MOST = 20
"""Faults that are told; when more is wrong, the rest is wrong in the same way."""
_BATCH = 64


def faults(db: Tables) -> list[str]:
    """What is wrong with the index, in words; empty when every live chunk has just its postings.

    Args:
        db: an open read transaction.
    """
    return list(_ranges(db))[:_MOST] or list(_postings(db))[:_MOST]


def rebuild(db: Tables) -> int:
    """Make the index anew from the chunks; how many documents it has. Chunks are given no new numbers.

    Args:
        db: an open write transaction.
    """
    db.words.clear()
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


def _ranges(db: Tables) -> Iterator[str]:
    """Documents that do not cover their chunks."""
    for name, meant, held, lengths, own in db.words.covered():
        if not meant == held == lengths == own:
            yield f'"{name}" stands for {meant} chunks, and {held} are there'
    if outside := db.words.uncovered():
        yield f"{outside} chunks are in no document of the words' index"
    if lost := db.words.unlisted():
        yield f"{lost} segments of the words' index are not listed, so that no search reads them"


def _postings(db: Tables) -> Iterator[str]:
    """Chunks whose postings are not those of their text."""
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never look at postings

    size = db.chunks.last_number() + 1
    held, meant = Sums(size), Sums(size)
    for first, body in db.words.blocks():
        held.add(body, first)
    documents = _documents(db)
    while some := list(islice(documents, _BATCH)):
        numbers = [n for start, document in some for n in range(start, start + len(document.chunks))]
        meant.add_packed(pack([document for _, document in some]), numbers)
    wrong = np.flatnonzero(held.values != meant.values).tolist()
    for n, name in sorted(db.chunks.places(wrong).items()):
        yield f'chunk {n} of "{name}" is not indexed by its own words'


def _documents(db: Tables) -> Iterator[tuple[int, Document]]:
    """Every document with the number of its first chunk, out of the chunks as they stand."""
    run: list[tuple[int, Chunk]] = []
    for n, chunk in db.chunks.all():
        if run and (chunk.path is None or chunk.path != run[0][1].path or n != run[-1][0] + 1):
            yield _document(run)
            run = []
        run.append((n, chunk))
    if run:
        yield _document(run)


def _document(run: list[tuple[int, Chunk]]) -> tuple[int, Document]:
    first, chunk = run[0]
    return first, lexicon_write.document(chunk.type, chunk.path, [one for _, one in run])
