"""Exact answers of `mem.search`: all lines with a text or a pattern, by file, and what was searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.memory import has_memory, search
from aurora.tools.core import CompactModel
from aurora.tools.text import count_json_chars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aurora.memory import ChunkType
    from aurora.memory.search import ExactResult, Finder, MatchedFile, MatchedLine
    from aurora.tools.core import Context

_MAX_CHARS = 15_000
"""Characters of the listed lines as JSON; the limit of a response is 19,000, and counts and notes need some."""
_MAX_COUNT_CHARS = 2_000
_MAX_LINES = 600
"""Lines that are read for one response; more do not fit in any."""
_MAX_LINE = 200
"""Characters of a line that are shown."""
_FRAME = 60
"""Characters of JSON around the lines of a file, without its path."""
_MAX_NAMED = 3
_LEFT_OUT = {
    "huge": "too large",
    "secret": "with the name or the content of a secret",
    "lfs": "in Git LFS",
}
"""Reason to leave files out -> its words in a sentence; others are words already."""


class ListedFile(CompactModel):
    """File with lines that match."""

    path: str
    role: Literal["code", "test", "document"]
    total: int | None = Field(default=None, description="Of the file, when not all are listed.")
    text: str = Field(description="`[definition around the lines, comment]` above each group of numbered lines.")


class ExactAnswer(CompactModel):
    """All matches, by file, as far as they fit."""

    total: int | None = Field(default=None, description="Lines that match.")
    complete: bool | None = Field(default=None, description="All of them are listed.")
    matches: tuple[ListedFile, ...] | None = Field(default=None, description="By file: code, tests, documents.")
    counts: dict[str, int] = Field(default={}, description="Lines that match in further files.")
    searched: str = ""
    note: str = ""
    next_offset: int | None = Field(default=None, description="Request again with it for more.")


class ExactQuery(NamedTuple):
    """Text or pattern, the files, and the page; without a limit as many lines as fit."""

    text: str
    is_pattern: bool
    types: Sequence[ChunkType]
    path: str | None
    language: str | None
    limit: int | None
    offset: int


def search_exactly(query: ExactQuery, context: Context) -> ExactAnswer:
    """List all lines of the project's files with a text or a pattern.

    Raises:
        Fault: INVALID_INPUT for a pattern that needs an engine that backtracks, or types without files.
    """
    types: list[ChunkType] = [one for one in query.types if one != "reas"]
    if not types:
        raise Fault(
            Code.INVALID_INPUT,
            "exact matches are of files, and past reasoning is in none",
            help='Leave out "exact" to search past reasoning by its words.',
        )
    find = _build_pattern_finder(query.text) if query.is_pattern else search.find_literal(query.text)
    store = context.project.memory.store if has_memory(context.root) else None
    limit = min(query.limit or _MAX_LINES, _MAX_LINES)
    scope = search.ExactScope(types, query.path, query.language, query.offset, limit)
    result = search.find_exact(context.root, store, find, scope)
    files, shown = fit_files(result.files, lambda line: _cut_match(line, query, find))
    end = query.offset + shown
    is_whole = not query.offset and end == result.total
    return ExactAnswer(
        total=result.total,
        complete=is_whole and result.is_complete,
        matches=files,
        counts={} if is_whole else _count_rest(result.files, files),
        searched=_describe_searched(result, query),
        note="" if result.is_complete else "Not every file was searched: the total is the least. Narrow it by path.",
        next_offset=end if shown and end < result.total else None,
    )


def _build_pattern_finder(pattern: str) -> Finder:
    """Build the finder of a pattern: the engine that takes time linear in the text, line by line."""
    # Only a pattern needs this engine; every other search starts without it.
    from aurora.interpreter.schema.validator import (  # noqa: PLC0415
        RefusedPatternError,
        compile_pattern,
        limit_patterns,
    )

    try:
        matches = compile_pattern(pattern)
    except RefusedPatternError as error:
        raise Fault(
            Code.INVALID_INPUT,
            f"the pattern {error}",
            help="Patterns have the syntax of Rust's regex; look-around and back-references are not in it.",
            details={"faults": [{"path": "$.query", "expected": "a pattern that is matched in linear time"}]},
        ) from None

    def find(text: str) -> list[tuple[int, int]]:
        limit_patterns()  # the work is bounded for each file; the time for all of them
        return [(row, -1) for row, line in enumerate(text.split("\n")) if matches(line)]

    return find


def _cut_match(line: MatchedLine, query: ExactQuery, find: Finder) -> str:
    """Return a line without its indentation, of a long one what is around the match."""
    text = line.text.strip()
    at = line.column - (len(line.text) - len(line.text.lstrip()))
    if query.is_pattern and len(text) > _MAX_LINE:
        steps = range(0, len(text), _MAX_LINE // 2)
        at = next((start for start in steps if find(text[start : start + _MAX_LINE])), 0)
    return cut_line(line._replace(text=text, column=max(0, at)), min(len(query.text), 40))


def cut_line(line: MatchedLine, width: int = 40) -> str:
    """Return a line without its indentation, of a long one what is around the column."""
    text = line.text.strip()
    if len(text) <= _MAX_LINE:
        return text
    start = 0 if line.column + width < _MAX_LINE else line.column - _MAX_LINE // 4
    end = start + _MAX_LINE
    return f"{'…' if start > 0 else ''}{text[max(0, start) : end]}{'…' if end < len(text) else ''}"


def fit_files(
    files: Sequence[MatchedFile], show: Callable[[MatchedLine], str], room: int = _MAX_CHARS
) -> tuple[tuple[ListedFile, ...], int]:
    """Fit the lines of files into a response; return the listed files, and the number of lines."""
    listed: list[ListedFile] = []
    shown = 0
    for file in files:
        if not file.lines:
            continue
        room -= len(file.path) + _FRAME
        rows, used = _write_lines(file.lines, show, room)
        if not rows:
            break
        room -= used
        count = len(rows)
        text = "\n".join(row for group in rows for row in group)
        listed.append(
            ListedFile(path=file.path, role=file.role, total=None if count == file.total else file.total, text=text)
        )
        shown += count
        if count < len(file.lines):
            break
    return tuple(listed), shown


def _write_lines(
    lines: Iterable[MatchedLine], show: Callable[[MatchedLine], str], room: int
) -> tuple[list[list[str]], int]:
    """Write numbered lines until the room is used, each with the heading above it if that is a new one."""
    written: list[list[str]] = []
    heading, used = "", 0
    for line in lines:
        symbol = line.symbol.rpartition(" > ")[2]
        around = ", ".join(filter(None, [symbol, "comment" if line.inside == "comment" else ""]))
        row = [search.number_line(show(line), line.line)]
        if around != heading:
            row.insert(0, f"[{around}]")
        cost = sum(count_json_chars(one) for one in row)
        if used + cost > room:
            break
        used += cost
        heading = around
        written.append(row)
    return written, used


def _count_rest(files: Sequence[MatchedFile], listed: Sequence[ListedFile]) -> dict[str, int]:
    """Count the lines of the files that are not listed whole, as many as fit."""
    whole = {one.path for one in listed if one.total is None}
    counts: dict[str, int] = {}
    room = _MAX_COUNT_CHARS
    for file in files:
        room -= len(file.path) + 10
        if room < 0:
            break
        if file.path not in whole:
            counts[file.path] = file.total
    return counts


def _describe_searched(result: ExactResult, query: ExactQuery) -> str:
    """Describe what was searched and what was not, so that nothing found is evidence."""
    size = f"{max(1, result.read_bytes // 1000):,} kB"
    found = f"{len(result.files):,} of " if result.files else ""
    files = "file" if result.read_files == 1 else "files"
    parts = [f"{found}{result.read_files:,} {files}, {size}, as they are on disk now"]
    if not result.read_files and (query.path or query.language):
        parts.append("no file has this path and language")
    left_out = [
        f"{len(paths)} {_LEFT_OUT.get(reason, reason)}" + (f" ({', '.join(paths)})" if len(paths) <= _MAX_NAMED else "")
        for reason, paths in sorted(result.left_out.items())
    ]
    parts += [f"left out: {', '.join(left_out)}"] if left_out else []
    return f"{'; '.join(parts)}. Ignored files and lines with secrets are not searched."
