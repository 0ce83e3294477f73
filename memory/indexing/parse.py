"""Parser of files into rows.

This part of indexing needs no database and can run in another process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.chunking.chunk import chunk_file
from aurora.memory.files import read_source
from aurora.memory.model.chunks import ParsedFile, extract_name, make_id_builder, normalize_text
from aurora.memory.model.json_columns import clean_text, encode_json
from aurora.memory.model.reports import SkippedFile
from aurora.memory.text_index import PackedPostings, build_document, pack_documents
from aurora.system.secrets.masks import leave_out_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.files import SourceFile, SourceText
    from aurora.memory.model.chunks import ChunkRow, ChunkType, Piece
    from aurora.memory.text_index import Document


@dataclass(frozen=True, slots=True)
class ParseJob:
    """A file whose size or time differs from the stored one, and the hash of the stored content."""

    file: SourceFile
    known: str | None


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Files that are ready to be written together.

    Attributes:
        files: the result of each, in order.
        words: the documents of the files with chunks, in the same order, and their postings.
    """

    files: tuple[ParsedFile | SkippedFile, ...]
    words: PackedPostings


def parse_files(root: Path, jobs: Sequence[ParseJob], *, parses: bool = True) -> ParsedBatch:
    """Read and chunk files; an unreadable one becomes a `SkippedFile`, and raises nothing.

    Args:
        root: the project's folder.
        jobs: the files.
        parses: False for files that their grammar's parser does not survive; their lines are found by their words.
    """
    words: list[Document] = []
    files = tuple(_parse_safely(root, job, words, parses=parses) for job in jobs)
    return ParsedBatch(files, pack_documents(words))


def _parse_safely(root: Path, job: ParseJob, words: list[Document], *, parses: bool) -> ParsedFile | SkippedFile:
    try:
        return _parse_one(root, job, words, parses=parses)
    except MemoryError:  # a worker has a limit
        if not parses:
            raise
        # The parser took it all: without its tree the file is still found by its lines.
        return _parse_safely(root, job, words, parses=False)
    except Exception as error:  # noqa: BLE001 - a bug that one file triggers must not stop the others
        return SkippedFile(job.file.path, "crash", f"{type(error).__name__}: {error}")


def _parse_one(root: Path, job: ParseJob, words: list[Document], *, parses: bool) -> ParsedFile | SkippedFile:
    """Parse one file, and append its document for the text index to `words`."""
    source = read_source(job.file, root)
    if isinstance(source, SkippedFile):
        return source
    facts = (source.path, source.language, source.size, source.mtime_ns, source.sha256)
    if source.sha256 == job.known:
        return ParsedFile(*facts, parsed=True, rows=None)
    chunked = chunk_file(source.path, source.language, source.text, parses=parses)
    pieces = chunked.pieces if "\r" not in source.text else tuple(map(_clean_piece, chunked.pieces))
    if source.left_out:
        pieces = tuple(_leave_out(piece, source.left_out) for piece in pieces)
    words.append(build_document(chunked.type, source.path, pieces))
    return ParsedFile(
        *facts,
        parsed=chunked.parsed,
        rows=tuple(_make_rows(source, chunked.type, pieces)),
        graph=chunked.graph,
        left_out=tuple(source.left_out.items()),
    )


def _leave_out(piece: Piece, left_out: Mapping[int, str]) -> Piece:
    """Leave the lines with secrets out of a piece; its other lines keep their numbers."""
    lines = piece.text.split("\n")
    if not any(piece.start_line <= line <= piece.end_line for line in left_out):
        return piece
    return piece._replace(text="\n".join(leave_out_lines(lines, piece.start_line, left_out)))


def _clean_piece(piece: Piece) -> Piece:
    """Clean a piece's line ends; text that was read as UTF-8 needs nothing else to fit a column."""
    return piece._replace(text=clean_text(piece.text), symbol=clean_text(piece.symbol))


def _make_rows(source: SourceText, type_: ChunkType, pieces: Sequence[Piece]) -> Iterator[ChunkRow]:
    """Make the rows of the chunk table.

    A piece that only moves keeps its id, and so its vector and its history.
    """
    identified = make_id_builder(type_, source.path)
    equals: dict[tuple[str, str], int] = {}
    for kind, symbol, start, end, text, language, metadata in pieces:
        key = (symbol or kind, normalize_text(text))
        equals[key] = nth = equals.get(key, -1) + 1
        known = {**metadata, "encoding": source.encoding} if source.encoding else metadata
        what = (symbol, kind, language or source.language, text, encode_json(known), extract_name(symbol))
        yield (identified(*key, str(nth)), type_, source.path, start, end, *what)
