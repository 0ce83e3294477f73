"""Exact search: every line of the project's files that has a text, as they are on disk now.

A ranked list never shows that nothing else is there. This one reads each file of the project, so that what it does not
find is not in what it says it has read. It needs no index; the index only names the definition around a line.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.errors import check_cancelled
from aurora.memory.files import (
    PROSE_LANGUAGES,
    SourceFile,
    SourceText,
    discover_files,
    is_test_file,
    read_matching,
    read_source,
)
from aurora.memory.model.reports import SkippedFile
from aurora.memory.parsing.grammar import find_inert_rows
from aurora.memory.parsing.languages import LANGUAGES, load_language

from .options import compile_glob, find_stale_paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.storage.store import Store, Tables

Role = Literal["code", "test", "document"]
Finder = Callable[[str], Sequence[tuple[int, int]]]
"""Finds row and column, from 0, of the first match of each line; ValueError: the text is too much for it."""

_MAX_SECONDS = 15.0
"""Time for reading; the limit of the tool is 30 s, and what comes after it needs some."""
_MAX_PARSED_CHARS = 200_000
"""Characters of a file that is parsed for its comments; in a longer one only a line that begins as one counts."""
_ROLES: tuple[Role, ...] = ("code", "test", "document")
TOO_SLOW = "too long for the pattern"
"""Reason of a file that the finder gave up."""


def find_literal(text: str) -> Finder:
    """Build the finder of a text as it is; the row of one with line breaks is that of its first line."""

    def find(source: str) -> list[tuple[int, int]]:
        found = []
        row, counted, at = 0, 0, source.find(text)
        while at >= 0:
            row += source.count("\n", counted, at)
            found.append((row, at - source.rfind("\n", 0, at) - 1))
            counted, end = at, source.find("\n", at + 1 if source[at] != "\n" else at)
            at = source.find(text, end + 1) if end >= 0 else -1
        return found

    return find


def find_word(word: str) -> Finder:
    """Build the finder of a word that is not a part of another."""
    pattern = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])")

    def find(source: str) -> list[tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        row = counted = 0
        for match in pattern.finditer(source):
            row += source.count("\n", counted, match.start())
            counted = match.start()
            found.setdefault(row, (row, counted - source.rfind("\n", 0, counted) - 1))
        return list(found.values())

    return find


@dataclass(frozen=True, slots=True)
class ExactScope:
    """Files that are searched, and the page of the lines that is returned.

    Attributes:
        types: `code`, and `know` for documents.
        path_glob: only files whose path matches, as in .gitignore.
        language: only files in this language.
        offset: number of first matches whose lines are not returned.
        limit: number of lines that are returned.
    """

    types: Sequence[ChunkType]
    path_glob: str | None = None
    language: str | None = None
    offset: int = 0
    limit: int = 500


class MatchedLine(NamedTuple):
    """Line that matches.

    Attributes:
        line: counted from 1.
        column: of the first match, from 0; -1 when it is not known.
        text: the whole line.
        symbol: the innermost definition or section around it, as far as the index knows the file as it is.
        inside: `comment` when it matches in a comment or a docstring, `string` when in a string.
    """

    line: int
    column: int
    text: str
    symbol: str = ""
    inside: Literal["", "comment", "string"] = ""


@dataclass(slots=True)
class MatchedFile:
    """File with matches.

    Attributes:
        total: the number of lines that match.
        lines: those of the requested page.
    """

    path: str
    language: str
    total: int
    lines: Sequence[MatchedLine] = ()

    @property
    def role(self) -> Role:
        """Role of the file: `code`, `test` or `document`."""
        if is_test_file(self.path):
            return "test"
        return "document" if self.language in PROSE_LANGUAGES else "code"

    @property
    def rank(self) -> int:
        """Place of its role in a list."""
        return _ROLES.index(self.role)


@dataclass(slots=True)
class ExactResult:
    """Result of an exact search.

    Attributes:
        total: the number of lines that match, in all files that were read.
        files: all files with matches, code before tests before documents; the lines are those of the page.
        read_files, read_bytes: what was searched.
        left_out: files that were not searched, by reason.
        is_complete: every file was searched but those left out, and none of them was too much for the pattern.
    """

    total: int = 0
    files: list[MatchedFile] = field(default_factory=list)
    read_files: int = 0
    read_bytes: int = 0
    left_out: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    is_complete: bool = True


def find_exact(root: Path, store: Store | None, find: Finder, scope: ExactScope) -> ExactResult:
    """Find all lines of the project that match.

    Args:
        root: the project's folder, resolved.
        store: its index, for the definitions around the lines; None without one.
        find: finds the matches of a text.
        scope: the files and the page.
    """
    result = ExactResult()
    until = time.monotonic() + _MAX_SECONDS
    sources: dict[str, SourceFile] = {}
    for file in _iterate_files(root, scope, result):
        check_cancelled()
        if time.monotonic() > until:
            result.is_complete = False
            break
        source = _read_matching(file, root, find, scope, result)
        count = len(_find_rows(source, find)) if source is not None else 0
        if source is not None and count:
            sources[file.path] = file
            result.total += count
            result.files.append(MatchedFile(file.path, source.language, count))
    result.files.sort(key=lambda one: (one.rank, one.path))
    # the lines are read again: those of all files may be too many to keep
    first = scope.offset
    for matched in result.files:
        if -scope.limit < first < matched.total:
            page = slice(max(0, first), first + scope.limit)
            _read_page(matched, sources[matched.path], root, find, page)
        first -= matched.total
    _add_symbols([one for one in result.files if one.lines], root, store)
    return result


def _iterate_files(root: Path, scope: ExactScope, result: ExactResult) -> Iterator[SourceFile]:
    """Yield the files of the scope in the order of their paths; note those that are left out."""
    pattern = compile_glob(scope.path_glob) if scope.path_glob else None
    for found in sorted(discover_files(root), key=lambda one: one.path):
        if pattern is not None and not pattern.fullmatch(found.path):
            continue
        if isinstance(found, SourceFile):
            yield found
        else:
            result.left_out[found.reason].append(found.path)


def _read_matching(
    file: SourceFile, root: Path, find: Finder, scope: ExactScope, result: ExactResult
) -> SourceText | None:
    """Read a file that may have matches; count it as searched or note why it was left out."""
    is_wanted = False

    def has_match(source: SourceText) -> bool:
        nonlocal is_wanted
        is_wanted = _is_in_scope(source, scope)
        return is_wanted and bool(find(_normalize_breaks(source.text)))

    try:
        read = read_matching(file, root, has_match)
    except ValueError:
        result.left_out[TOO_SLOW].append(file.path)
        result.is_complete = False
        return None
    if isinstance(read, SkippedFile):
        result.left_out[read.reason].append(read.path)
        return None
    if is_wanted:
        result.read_files += 1
        result.read_bytes += read if isinstance(read, int) else read.size
    return None if isinstance(read, int) else read


def _find_rows(source: SourceText, find: Finder) -> list[tuple[int, int]]:
    """Find the rows and columns of the matches.

    A line with a secret is not searched: whoever may ask for any text would find the secret letter by letter.
    """
    return [place for place in find(_normalize_breaks(source.text)) if place[0] + 1 not in source.left_out]


def _normalize_breaks(text: str) -> str:
    return text.replace("\r\n", "\n")


def _is_in_scope(source: SourceText, scope: ExactScope) -> bool:
    if scope.language and source.language != scope.language.lower():
        return False
    return ("know" if source.language in PROSE_LANGUAGES else "code") in scope.types


def _read_page(matched: MatchedFile, file: SourceFile, root: Path, find: Finder, page: slice) -> None:
    """Read the lines of a page, and whether they are comments; none of a file that is gone since."""
    source = read_source(file, root)
    if isinstance(source, SkippedFile):
        return
    lines = _normalize_breaks(source.text).split("\n")
    found = [MatchedLine(row + 1, column, lines[row]) for row, column in _find_rows(source, find)[page]]
    inert = _find_inert(source, found)
    matched.lines = [line._replace(inside=inert.get(line.line, "")) for line in found]


def _find_inert(source: SourceText, found: Sequence[MatchedLine]) -> dict[int, Literal["comment", "string"]]:
    """Find which of the lines match in a comment or a string."""
    if source.language not in LANGUAGES:
        return {}
    language = load_language(source.language)
    inert: dict[int, Literal["comment", "string"]] = {}
    if len(source.text) <= _MAX_PARSED_CHARS:
        # of a pattern's match only the line is known; the first word of the line decides
        places = [
            (one.line - 1, len(one.text[: one.column].encode()) if one.column >= 0 else _count_blanks(one.text))
            for one in found
        ]
        text = _normalize_breaks(source.text).encode("utf-8", "replace")
        inert = {row + 1: kind for row, kind in find_inert_rows(language.grammar, text, places).items()}
    prefixes = language.outline.line_comments
    return inert | {one.line: "comment" for one in found if one.text.lstrip().startswith(prefixes)}


def _count_blanks(line: str) -> int:
    return len(line) - len(line.lstrip())


_Spans = tuple[tuple[int, int, str], ...]
"""First and last line of the definitions of a file, and their symbols; an inner one after its outer one."""


def _add_symbols(files: Sequence[MatchedFile], root: Path, store: Store | None) -> None:
    """Add to each line the definition around it."""
    spans = _read_spans(files, root, store) if store is not None else {}
    for file in files:
        found = spans.get(file.path, ())
        file.lines = [line._replace(symbol=_find_symbol(found, line.line)) for line in file.lines]


def _read_spans(files: Sequence[MatchedFile], root: Path, store: Store) -> dict[str, _Spans]:
    """Read the definitions of files from the index, of those that have not changed since."""
    paths = [file.path for file in files]
    with store.begin_read() as db:
        indexed = set(db.files.find_existing(paths)) - find_stale_paths(db, root, paths)
        return {path: _list_spans(db, path) for path in indexed}


def _list_spans(db: Tables, path: str) -> _Spans:
    rows = [(row[7], row[8], row[3]) for row in db.nodes.list_rows(path) if row[3]]
    return tuple(sorted(rows, key=lambda row: (row[0], -row[1])))


def _find_symbol(spans: _Spans, line: int) -> str:
    return next((symbol for start, end, symbol in reversed(spans) if start <= line <= end), "")
