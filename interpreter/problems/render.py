"""Text of a problem for people: heading, source line with a caret, help and note."""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.system.paths.read import open_inside

from .problem import split_lines, split_yaml_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .problem import Problem

MAX_LINE = 160
"""Limit of characters of a source line; a longer line is cut around the token."""

_JOINERS = "\u200c\u200d"
"""Zero-width characters that Persian words and combined emoji need."""

_LEAD_CHARACTERS = 40
"""Characters of a cut line before the token."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A source line, and the caret line below it; both can be empty."""

    source: str = ""
    caret: str = ""


class SourceLines:
    """The lines of the files that problems refer to, each file read once.

    Args:
        given: by path, texts that replace files or have none.
    """

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._lines = {path: split_yaml_lines(text) for path, text in (given or {}).items()}

    def get_line(self, path: str, number: int) -> str | None:
        """Return the line, counted from 1; None when the file or the line is gone."""
        if path not in self._lines:
            self._lines[path] = read_source_lines(path)
        lines = self._lines[path]
        return lines[number - 1] if 0 < number <= len(lines) else None


def make_excerpt(problem: Problem, source_line: str | None) -> Excerpt:
    """Create the excerpt of the problem's line, with a caret under its token."""
    if not source_line:
        return Excerpt()
    text, column = _clip_line(source_line, problem.column)
    width = _count_cells(text[column - 1 : column - 1 + problem.end_column - problem.column])
    return Excerpt(text, f"{_blank_out(text[: column - 1])}^{'~' * (width - 1)}")


def render_problem(problem: Problem, source_line: str | None) -> str:
    """Render the problem in full, without a newline at its end.

    Args:
        problem: the problem.
        source_line: the line that it refers to; None or empty if it cannot be shown.
    """
    gutter = " " * (len(str(problem.line)) + 1)
    lines = [problem.heading]
    part = make_excerpt(problem, source_line)
    if part.source:
        lines += [f"{gutter}|", f"{problem.line} | {part.source}".rstrip(), f"{gutter}| {part.caret}"]
    lines += [f"{gutter}= {word}: {text}" for word, text in (("help", problem.help), ("note", problem.note)) if text]
    return "\n".join(lines)


def render_problems(problems: Iterable[Problem], sources: SourceLines | None = None) -> str:
    """Render all problems with their source lines, separated by an empty line."""
    sources = sources or SourceLines()
    return "\n\n".join(render_problem(problem, sources.get_line(problem.path, problem.line)) for problem in problems)


def read_source_lines(path: str) -> list[str]:
    """Read the lines of a file as problems count them; empty if it cannot be read."""
    text = read_source_text(Path(path))
    return split_lines(path, text) if text else []


def read_source_text(path: Path) -> str:
    """Read the text of a file as far as it can be shown; empty if it cannot be read."""
    try:
        data = read_file(path)
    except UnreadableFileError:
        return ""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 is not readable as UTF-8
        return ""
    return data.decode("utf-8-sig", errors="replace")


def _clip_line(line: str, column: int) -> tuple[str, int]:
    """Return the part of the line around the token, and the token's column in it."""
    line = "".join(char if char == "\t" or char.isprintable() or _is_zero_width(char) else "\ufffd" for char in line)
    if len(line) <= MAX_LINE:
        return line, column
    start = max(0, min(column - 1 - _LEAD_CHARACTERS, len(line) - MAX_LINE))
    cut = line[start : start + MAX_LINE]
    before, after = "…" if start else "", "…" if start + MAX_LINE < len(line) else ""
    return f"{before}{cut}{after}", column - start + len(before)


def _blank_out(text: str) -> str:
    """Return spaces as wide as the text, with its tabs."""
    return "".join("\t" if char == "\t" else " " * _measure_char(char) for char in text)


def _count_cells(text: str) -> int:
    return max(1, sum(_measure_char(char) for char in text))


def _measure_char(char: str) -> int:
    if _is_zero_width(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _is_zero_width(char: str) -> bool:
    """Check that the character combines with the one before it."""
    return char in _JOINERS or unicodedata.category(char) in ("Mn", "Me")


_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
MAX_BYTES = 1_048_576
"""Limit of a file's size; a workflow of 1,000 phases has some 300 kB."""


class UnreadableFileError(Exception):
    """A file that cannot be read; the text is the reason in a few words."""


class FileTooBigError(UnreadableFileError):
    """A file of more than `MAX_BYTES` bytes."""


def read_file(path: Path, folder: Path | None = None) -> bytes:
    """Read the bytes of a regular file.

    Args:
        path: the file.
        folder: a resolved folder which the file must not leave, also when another process puts a link in its place.

    Raises:
        FileTooBigError: it is larger than `MAX_BYTES`.
        UnreadableFileError: it is missing, not a regular file (a pipe would block forever), or not readable.
    """
    _check_regular(path)
    try:
        handle = os.open(path, _READ) if folder is None else open_inside(folder, str(path))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_describe_error(error)) from None
    except Fault as fault:
        raise UnreadableFileError(f"{fault.code.value.lower().replace('_', ' ')}") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # it was replaced since
            raise UnreadableFileError("it is not a plain file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFileError(_describe_error(error)) from None
    finally:
        os.close(handle)
    if len(data) > MAX_BYTES:
        raise FileTooBigError(f"it is larger than {MAX_BYTES:,} bytes")
    return data


def _check_regular(path: Path) -> None:
    """Reject what is not a regular file before it is opened: opening a pipe or a device has effects."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_describe_error(error)) from None
    if not stat.S_ISREG(mode):
        raise UnreadableFileError("it is a folder" if stat.S_ISDIR(mode) else "it is not a plain file")


def _describe_error(error: Exception) -> str:
    """Return the system's reason, as `no such file or directory`."""
    text = getattr(error, "strerror", None) or "that is not a file name"
    return text[:1].lower() + text[1:]
