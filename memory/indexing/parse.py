"""From files to records: the part of indexing that needs no database, and so can run in another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.chunking import chunk_file
from aurora.memory.files import read_source
from aurora.memory.model import (
    ParsedFile,
    SkippedFile,
    clean_text,
    encode_json,
    extract_name,
    make_id_builder,
    normalize_text,
)
from aurora.memory.text_index import PackedPostings, build_document, pack_documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.memory.files import SourceFile, SourceText
    from aurora.memory.model import ChunkRow, ChunkType, Piece
    from aurora.memory.text_index import Document


@dataclass(frozen=True, slots=True)
class ParseJob:
    """A file whose size or time differs from what is stored, and the hash of the content that is stored."""

    file: SourceFile
    known: str | None


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Some files made ready to be written together.

    Attributes:
        files: what became of each, in order.
        words: the documents of those that have chunks, in the same order, and their postings.
    """

    files: tuple[ParsedFile | SkippedFile, ...]
    words: PackedPostings


def parse_files(root: Path, jobs: Sequence[ParseJob]) -> ParsedBatch:
    """Read and cut these files; what cannot be read is a `Skipped`, and nothing is raised for it."""
    import numpy  # noqa: ICN001, F401, PLC0415 - packing loads it anyway; loaded first, it helps `secret_in` along

    words: list[Document] = []
    files = tuple(_parse_safely(root, job, words) for job in jobs)
    return ParsedBatch(files, pack_documents(words))


def _parse_safely(root: Path, job: ParseJob, words: list[Document]) -> ParsedFile | SkippedFile:
    try:
        return _parse_one(root, job, words)
    except Exception as error:  # noqa: BLE001 - one file that we cannot cope with must not keep all the others out
        return SkippedFile(job.file.path, "crash", f"{type(error).__name__}: {error}")


def _parse_one(root: Path, job: ParseJob, words: list[Document]) -> ParsedFile | SkippedFile:
    """One file as the tables will hold it; what the words' index takes of it is added to `words`."""
    source = read_source(job.file, root)
    if isinstance(source, SkippedFile):
        return source
    facts = (source.path, source.language, source.size, source.mtime_ns, source.sha256)
    if source.sha256 == job.known:
        return ParsedFile(*facts, parsed=True, rows=None)
    chunked = chunk_file(source.path, source.language, source.text)
    pieces = chunked.pieces if "\r" not in source.text else tuple(map(_clean_piece, chunked.pieces))
    words.append(build_document(chunked.type, source.path, pieces))
    return ParsedFile(
        *facts, parsed=chunked.parsed, rows=tuple(_make_rows(source, chunked.type, pieces)), graph=chunked.graph
    )


def _clean_piece(piece: Piece) -> Piece:
    """The piece with one kind of line end; what was read as UTF-8 has nothing else that a column cannot hold."""
    return piece._replace(text=clean_text(piece.text), symbol=clean_text(piece.symbol))


def _make_rows(source: SourceText, type_: ChunkType, pieces: Sequence[Piece]) -> Iterator[ChunkRow]:
    """The pieces as their table takes them: moving one up or down keeps its id, and so its vector and its history."""
    identified = make_id_builder(type_, source.path)
    equals: dict[tuple[str, str], int] = {}
    for kind, symbol, start, end, text, language, metadata in pieces:
        key = (symbol or kind, normalize_text(text))
        equals[key] = nth = equals.get(key, -1) + 1
        what = (symbol, kind, language or source.language, text, encode_json(metadata), extract_name(symbol))
        yield (identified(*key, str(nth)), type_, source.path, start, end, *what)
