"""A problem as a person reads it: heading, source line, a caret under the token, help and note."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .files import Unreadable, read_file
from .lines import lines_of, yaml_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .problem import Problem

LONGEST = 160
"""Characters of a source line that are shown; of a longer line, those around the token."""

_JOINERS = "\u200c\u200d"
"""Not drawn, and yet parts of what is: of Persian words, of families of emoji."""

_LEAD = 40
"""Of these, how many stand before the token."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A source line as it is shown, and the line below it with the caret; both empty where there is none to show."""

    source: str = ""
    caret: str = ""


class Sources:
    """The lines of the files that problems point into, each file read once.

    Args:
        given: by path, workflows that stand in no file, or that stand in for one.
    """

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._lines = {path: yaml_lines(text) for path, text in (given or {}).items()}

    def line(self, path: str, number: int) -> str | None:
        """The line, counted from 1; None when the file or the line is gone."""
        if path not in self._lines:
            self._lines[path] = source_lines(path)
        lines = self._lines[path]
        return lines[number - 1] if 0 < number <= len(lines) else None


def excerpt(problem: Problem, source_line: str | None) -> Excerpt:
    """What is shown of the line that the problem points into, a caret under its token."""
    if not source_line:
        return Excerpt()
    text, column = _window(source_line, problem.column)
    width = _cells(text[column - 1 : column - 1 + problem.end_column - problem.column])
    return Excerpt(text, f"{_blank(text[: column - 1])}^{'~' * (width - 1)}")


def render(problem: Problem, source_line: str | None) -> str:
    """The problem in full, without a newline at its end.

    Args:
        problem: what was found.
        source_line: the line that it points into; None or empty when that cannot be shown.
    """
    gutter = " " * (len(str(problem.line)) + 1)
    lines = [problem.heading]
    part = excerpt(problem, source_line)
    if part.source:
        lines += [f"{gutter}|", f"{problem.line} | {part.source}".rstrip(), f"{gutter}| {part.caret}"]
    lines += [f"{gutter}= {word}: {said}" for word, said in (("help", problem.help), ("note", problem.note)) if said]
    return "\n".join(lines)


def render_all(problems: Iterable[Problem], sources: Sources | None = None) -> str:
    """All of them, an empty line between; the source lines are read here, and left out where a file is gone."""
    sources = sources or Sources()
    return "\n\n".join(render(problem, sources.line(problem.path, problem.line)) for problem in problems)


def source_lines(path: str) -> list[str]:
    """The lines of a file as problems count them; empty when it cannot be read."""
    text = text_of(Path(path))
    return lines_of(path, text) if text else []


def text_of(path: Path) -> str:
    """The text of a file as far as it can be shown; empty when it cannot be read."""
    try:
        data = read_file(path)
    except Unreadable:
        return ""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16: nothing of it could be read
        return ""
    return data.decode("utf-8-sig", errors="replace")


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of the line to show, safe for a screen, and the token's column in it."""
    line = "".join(char if char == "\t" or char.isprintable() or _is_mark(char) else "\ufffd" for char in line)
    if len(line) <= LONGEST:
        return line, column
    start = max(0, min(column - 1 - _LEAD, len(line) - LONGEST))
    cut = line[start : start + LONGEST]
    before, after = "…" if start else "", "…" if start + LONGEST < len(line) else ""
    return f"{before}{cut}{after}", column - start + len(before)


def _blank(text: str) -> str:
    """Spaces as wide as the text; its tabs stay, so that they end at the same stops."""
    return "".join("\t" if char == "\t" else " " * _width(char) for char in text)


def _cells(text: str) -> int:
    return max(1, sum(_width(char) for char in text))


def _width(char: str) -> int:
    if _is_mark(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _is_mark(char: str) -> bool:
    """Whether it is drawn onto the character before it; what is not drawn at all would hide what a line says."""
    return char in _JOINERS or unicodedata.category(char) in ("Mn", "Me")
