"""From files to records: the part of indexing that needs no database, and so can run in another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.chunking.chunk import chunk
from aurora.memory.files.read import read_source
from aurora.memory.model.indexing import Parsed
from aurora.memory.model.json_columns import clean, dumped
from aurora.memory.model.reports import Skipped
from aurora.memory.model.rows import identifier, name_of, normalised
from aurora.memory.text_index.pack import Packed, pack
from aurora.memory.text_index.write import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.memory.chunking.chunk import Piece
    from aurora.memory.files.discover import SourceFile
    from aurora.memory.files.read import Source
    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.model.rows import Row
    from aurora.memory.text_index.values import Document


@dataclass(frozen=True, slots=True)
class Job:
    """A file whose size or time differs from what is stored, and the hash of the content that is stored."""

    file: SourceFile
    known: str | None


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
    pieces = chunked.pieces if "\r" not in source.text else tuple(map(_cleaned, chunked.pieces))
    words.append(document(chunked.type, source.path, pieces))
    return Parsed(*facts, parsed=chunked.parsed, rows=tuple(_rows(source, chunked.type, pieces)), graph=chunked.graph)


def _cleaned(piece: Piece) -> Piece:
    """The piece with one kind of line end; what was read as UTF-8 has nothing else that a column cannot hold."""
    return piece._replace(text=clean(piece.text), symbol=clean(piece.symbol))


def _rows(source: Source, type_: ChunkType, pieces: Sequence[Piece]) -> Iterator[Row]:
    """The pieces as their table takes them: moving one up or down keeps its id, and so its vector and its history."""
    identified = identifier(type_, source.path)
    equals: dict[tuple[str, str], int] = {}
    for kind, symbol, start, end, text, language, metadata in pieces:
        key = (symbol or kind, normalised(text))
        equals[key] = nth = equals.get(key, -1) + 1
        what = (symbol, kind, language or source.language, text, dumped(metadata), name_of(symbol))
        yield (identified(*key, str(nth)), type_, source.path, start, end, *what)
