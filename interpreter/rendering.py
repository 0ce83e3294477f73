"""A problem as a person reads it: heading, source line, a caret under the token, help and note."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from .files import Unreadable, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .problems import Problem

LONGEST = 160
"""Characters of a source line that are shown; of a longer line, those around the token."""

_LEAD = 40
"""Of these, how many stand before the token."""

_YAML_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_PLAIN_BREAK = re.compile("\r?\n")


def render(problem: Problem, source_line: str | None) -> str:
    """The problem in full, without a newline at its end.

    Args:
        problem: what was found.
        source_line: the line that it points into; None or empty when that cannot be shown.
    """
    gutter = " " * (len(str(problem.line)) + 1)
    lines = [problem.heading]
    if source_line:
        text, column = _window(source_line, problem.column)
        width = _cells(text[column - 1 : column - 1 + problem.end_column - problem.column])
        lines += [
            f"{gutter}|",
            f"{problem.line} | {text}".rstrip(),
            f"{gutter}| {_blank(text[: column - 1])}^{'~' * (width - 1)}",
        ]
    lines += [f"{gutter}= {word}: {said}" for word, said in (("help", problem.help), ("note", problem.note)) if said]
    return "\n".join(lines)


def render_all(problems: Iterable[Problem]) -> str:
    """All of them, an empty line between; the source lines are read here, and left out where a file is gone."""
    sources: dict[str, list[str]] = {}
    told = []
    for problem in problems:
        if problem.path not in sources:
            sources[problem.path] = source_lines(problem.path)
        lines = sources[problem.path]
        told.append(render(problem, lines[problem.line - 1] if 0 < problem.line <= len(lines) else None))
    return "\n\n".join(told)


def source_lines(path: str) -> list[str]:
    """The lines of a file as problems count them; empty when it cannot be read."""
    try:
        data = read_file(Path(path))
    except Unreadable:
        return []
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16: nothing of it could be read
        return []
    text = data.decode("utf-8-sig", errors="replace")
    # YAML counts a line at more characters than other texts do (https://yaml.org/spec/1.1/#id871136).
    breaks = _YAML_BREAK if path.endswith((".yaml", ".yml")) else _PLAIN_BREAK
    return breaks.split(text)


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
    """Whether it is drawn onto the character before it, or not at all."""
    return unicodedata.category(char) in ("Mn", "Me", "Cf")
