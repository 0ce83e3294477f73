"""From files to records: the part of indexing that needs no database, and so can run in another process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .chunking import chunk
from .documents import clean
from .lexicon_write import document
from .model import Chunk, Skipped
from .postings import Packed, pack
from .source import read_source
from .store_chunks import row_of
from .store_record import identify, normalised

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .chunking import Piece
    from .discover import SourceFile
    from .graph_model import Facts
    from .model import ChunkType
    from .postings import Document
    from .source import Source
    from .store_chunks import Row


@dataclass(frozen=True, slots=True)
class Job:
    """A file whose size or time differs from what is stored, and the hash of the content that is stored."""

    file: SourceFile
    known: str | None


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as the tables will hold it.

    Attributes:
        parsed: False when its grammar found errors, or when there is no grammar, and it became plain text.
        rows: its chunks as their table takes them; None when the content is what is stored already, and only the
            time has changed.
        graph: its part in the code graph; None for what has no structure.
    """

    path: str
    language: str
    size: int
    mtime_ns: int
    sha256: str
    parsed: bool
    rows: tuple[Row, ...] | None
    graph: Facts | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files made ready to be written together.

    Attributes:
        files: what became of each, in order.
        words: the documents of those that have chunks, in the same order, and their postings.
    """

    files: tuple[Parsed | Skipped, ...]
    words: Packed


def parse(root: Path, jobs: Sequence[Job]) -> Batch:
    """Read and cut these files; what cannot be read is a `Skipped`, and nothing is raised for it."""
    import numpy  # noqa: ICN001, F401, PLC0415 - packing loads it anyway; loaded first, it helps `secret_in` along

    words: list[Document] = []
    files = tuple(_parse_safely(root, job, words) for job in jobs)
    return Batch(files, pack(words))


def _parse_safely(root: Path, job: Job, words: list[Document]) -> Parsed | Skipped:
    try:
        return _parse_one(root, job, words)
    except Exception as error:  # noqa: BLE001 - one file that we cannot cope with must not keep all the others out
        return Skipped(job.file.path, "crash", f"{type(error).__name__}: {error}")


def _parse_one(root: Path, job: Job, words: list[Document]) -> Parsed | Skipped:
    """One file as the tables will hold it; what the words' index takes of it is added to `words`."""
    source = read_source(job.file, root)
    if isinstance(source, Skipped):
        return source
    facts = (source.path, source.language, source.size, source.mtime_ns, source.sha256)
    if source.sha256 == job.known:
        return Parsed(*facts, parsed=True, rows=None)
    chunked = chunk(source.path, source.language, source.text)
    chunks = _named(source, chunked.type, chunked.pieces)
    made = Parsed(*facts, parsed=chunked.parsed, rows=tuple(map(row_of, chunks)), graph=chunked.graph)
    words.append(document(chunked.type, source.path, chunks))
    return made


def _named(source: Source, type_: ChunkType, pieces: Sequence[Piece]) -> list[Chunk]:
    """The pieces with their ids: moving one up or down keeps its id, and so its vector and its history."""
    equals: Counter[tuple[str, ...]] = Counter()
    out = []
    for piece in pieces:
        text = clean(piece.text)
        key = (source.path, piece.symbol or piece.kind, normalised(text))
        id_ = identify(type_, *key, str(equals[key]))
        equals[key] += 1
        place = (source.path, piece.start_line, piece.end_line)
        what = (clean(piece.symbol), piece.kind, piece.language or source.language)
        out.append(Chunk(id_, type_, *place, *what, text, piece.metadata))
    return out
