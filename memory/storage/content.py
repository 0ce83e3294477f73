"""Protocols of the stored content: files, chunks, vectors, records, accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.chunks import (
        Chunk,
        ChunkNames,
        ChunkProvenance,
        ChunkRow,
        ChunkUse,
        FileFingerprint,
        ParsedFile,
        UnembeddedChunk,
        VectorRow,
    )
    from aurora.memory.model.runs import UndoEntry


class Files(Protocol):
    """Indexed files; removal cascades. Paths are relative, with `/`."""

    def get_known(self) -> dict[str, FileFingerprint]:
        """Return size, modification time (ns) and SHA-256 of all files by path."""

    def get_description(self, path: str) -> tuple[str, bool] | None:
        """Return the language of a file, and whether it was parsed; None for an unknown file."""

    def get_known_in(self, paths: Sequence[str]) -> dict[str, FileFingerprint]:
        """Return the same as `get_known` for these paths only."""

    def find_existing(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that are indexed."""

    def list_paths(self, *, language: str | None = None, since: int | None = None) -> list[str]:
        """List the paths, optionally of a language or changed since a time (ns)."""

    def list_languages(self) -> list[str]:
        """List the distinct languages."""

    def has_changes_since(self, moment: int) -> bool:
        """Check whether a file changed since a time in nanoseconds."""

    def has_path(self, place: str) -> bool:
        """Check whether this file, or a file in this folder, is indexed."""

    def count_unparsed(self) -> int:
        """Count the files that were not parsed completely."""

    def add(self, file: ParsedFile) -> None:
        """Insert a file; its chunks and its graph are written separately."""

    def update_stat(self, file: ParsedFile) -> None:
        """Update size and time of a file with unchanged content."""

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files and what depends on them."""

    def clear(self) -> None:
        """Remove all files and what depends on them."""


class Contents(Protocol):
    """Parsed contents that no file of the tree has now, by path and hash."""

    def list_paths(self) -> set[str]:
        """List the paths that have a content here."""

    def get(self, path: str, sha256: str, rules: str) -> bytes | None:
        """Return the stored form of a content; None without one."""

    def add(self, path: str, sha256: str, rules: str, body: bytes) -> None:
        """Add a content as the newest, in place of the same."""

    def remove(self, keys: Iterable[tuple[str, str]]) -> None:
        """Remove contents by path and hash."""

    def trim(self, rules: str, most: int) -> None:
        """Remove those that were parsed by other rules, and the oldest beyond a number of bytes."""

    def clear(self) -> None:
        """Remove all contents."""


class Chunks(Protocol):
    """Chunks with a stable id and a number that is never reused."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the chunks in the order of `ids`; leave missing ids out."""

    def get_by_number(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Return the existing chunks by number."""

    def find_missing_ids(self, ids: Sequence[str]) -> list[str]:
        """List the ids that do not exist, in the order given."""

    def iter_all(self) -> Iterator[tuple[int, Chunk]]:
        """Yield number and chunk of all chunks, by number."""

    def iter_records(self) -> Iterator[tuple[int, Chunk]]:
        """Yield number and chunk of all records, by number."""

    def iter_names(self, numbers: Sequence[int]) -> Iterator[ChunkNames]:
        """Yield the names that these chunks define."""

    def find_by_name(self, names: Sequence[str], most: int) -> list[int]:
        """List chunks by their own name, folded and without qualifiers."""

    def find_text_definitions(self, names: Sequence[tuple[str, str]], most: int) -> list[int]:
        """List text chunks that spell out a name of the graph on its line.

        Args:
            names: each name in the graph, and its spelling in the text.
            most: the limit.
        """

    def find_at_lines(self, places: Sequence[tuple[str, int]], most: int) -> list[int]:
        """List the chunks that contain one of these lines of files."""

    def find_with_phrases(
        self, phrases: Iterable[str], kinds: Iterable[str] | None = None, among: Sequence[int] | None = None
    ) -> list[int]:
        """List the chunks that contain every phrase in symbol, path or text.

        Args:
            phrases: in lower case.
            kinds: only chunks of these kinds.
            among: only these chunk numbers.
        """

    def iter_embedded(
        self, size: int, most: int, *, ids: Sequence[str] = (), types: Sequence[str] = ()
    ) -> Iterator[tuple[Chunk, bytes]]:
        """Yield the newest chunks with a vector of `size` bytes, newest first.

        Args:
            size: the size of the vectors in bytes.
            most: the limit.
            ids: only these ids, of any type.
            types: only these types, if there are no ids.
        """

    def iter_provenance(self) -> Iterator[ChunkProvenance]:
        """Yield every chunk with the time its file was last written."""

    def find_merged(self, ids: Sequence[str]) -> dict[str, str]:
        """Map merged ids to the id of the record that absorbed them."""

    def get_next_number(self) -> int:
        """Return the number of the next chunk; numbers are never reused."""

    def get_last_number(self) -> int:
        """Return the highest existing number; 0 if there is none."""

    def find_existing_numbers(self, first: int, last: int) -> set[int]:
        """Return the numbers from `first` to `last` that have a chunk."""

    def get_paths(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the paths of existing chunks by number; a record's id."""

    def count(self) -> int:
        """Count the chunks."""

    def list_kinds(self) -> list[str]:
        """List the distinct kinds."""

    def insert(self, first: int, rows: Iterable[ChunkRow]) -> None:
        """Insert chunks numbered from `first`; skip existing ids.

        Args:
            first: a number above all that were ever used.
            rows: the rows that `row_of` creates.
        """

    def insert_one(self, row: ChunkRow) -> int:
        """Insert one chunk and return its number."""

    def remove(self, ids: Iterable[str]) -> None:
        """Remove chunks with their postings and vectors."""

    def iter_file_chunks(self) -> Iterator[Chunk]:
        """Yield every chunk of a file, by path and line."""

    def update_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Replace the metadata of chunks: id and JSON text."""

    def list_by_file(self, path: str) -> Sequence[Chunk]:
        """List the chunks of a file by number; none if a row is damaged."""

    def get_line_range(self, id_: str) -> tuple[str, int, int] | None:
        """Return path, first and last line; None for a record or unknown id."""

    def find_at_line(self, path: str, line: int) -> str | None:
        """Return the id of the innermost chunk at a line; None if there is none."""

    def get_text_at(self, path: str, line: int) -> tuple[str, int] | None:
        """Return text and first line of a chunk at a line; None if there is none."""


class Vectors(Protocol):
    """Embeddings of chunks, removed with their chunks."""

    def insert(self, n: int, type_: str, body: bytes) -> None:
        """Insert the vector of a chunk, unless it has one."""

    def get_by_file(self, path: str) -> dict[str, bytes]:
        """Return the vectors of a file's chunks by id."""

    def list_newer(self, last: int, *, prose: bool) -> Sequence[VectorRow]:
        """List vectors with a number above `last`; `prose` leaves code out."""

    def list_numbers(self, last: int, *, prose: bool) -> Sequence[int]:
        """List the numbers up to `last` with a vector; `prose` leaves code out."""

    def get_ranges(self, runs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, bytes]]:
        """Return the vectors of `size` bytes in ranges of numbers, by number."""

    def count_missing(self) -> int:
        """Count chunks without a vector."""

    def list_unembedded(self, below: int, most: int) -> Sequence[UnembeddedChunk]:
        """List the newest chunks below `below` without a vector, newest first.

        With the number of missing vectors as the limit, it does not scan all chunks after one edit.
        """

    def get_record_vectors(self) -> dict[str, bytes]:
        """Return the non-empty vectors of records by id."""


class Records(Protocol):
    """Records: chunks that no file contains."""

    def list_records(self, ids: Iterable[str] | None = None) -> Sequence[tuple[Chunk, float | None]]:
        """List records with their creation time, all or by id, sorted by id."""

    def list_questions(self) -> Sequence[tuple[str, str]]:
        """List the patterns that answer a question: their ids and the questions."""

    def mark_remembered(self, id_: str) -> None:
        """Set the creation time of a record to now, unless it is known."""

    def set_remembered_times(self, moments: Iterable[tuple[str, float]]) -> None:
        """Set the creation times of records in seconds since 1970."""

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the creation times of records."""

    def get_shared(self) -> dict[str, bytes]:
        """Return the digests of the records as the view and the shared database last had them, by id."""

    def set_shared(self, digests: Iterable[tuple[str, bytes]], gone: Iterable[str]) -> None:
        """Set the digests of records that both databases have now, and remove those of `gone`."""

    def add_undo_entry(self, at: str, action: str, summary: str, document: str) -> None:
        """Append an entry to the undo log."""

    def trim_undo_entries(self, most: int) -> None:
        """Remove all but the last `most` entries of the undo log."""

    def get_last_undo_entry(self) -> UndoEntry | None:
        """Return the last entry of the undo log, or None."""

    def list_undo_entries(self) -> Sequence[UndoEntry]:
        """List the entries of the undo log, the oldest first."""

    def clear_undo_entries(self) -> None:
        """Remove the whole undo log."""

    def pop_undo_entry(self, n: int) -> bool:
        """Remove the last undo entry if it has this number; return success."""


class Usage(Protocol):
    """Accesses by chunk id, each time once."""

    def add_existing(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses of existing chunks."""

    def add(self, uses: Iterable[ChunkUse]) -> None:
        """Add accesses, also of missing chunks."""

    def trim(self, ids: Iterable[str], most: int) -> None:
        """Remove the oldest accesses beyond `most` of each chunk."""

    def get_by_id(self, ids: Iterable[str]) -> dict[str, tuple[float, ...]]:
        """Return the accesses by id, oldest first; leave unused chunks out."""

    def iter_all(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every id in order with its accesses, oldest first."""

    def iter_existing(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield every existing id in order with its accesses, oldest first."""

    def remove_uses(self, uses: Iterable[ChunkUse]) -> None:
        """Remove these accesses."""

    def remove(self, ids: Iterable[str]) -> None:
        """Remove all accesses of these chunks."""

    def clear(self) -> None:
        """Remove all accesses."""
