"""Problems of a document, with their places in its lines, fixes, and suggestions for wrong names."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora import errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


YAML_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""https://yaml.org/spec/1.1/#id871136"""


_PLAIN_BREAK = re.compile("\r?\n")


def split_lines(path: str, text: str) -> list[str]:
    """Split a file's text into lines as problems count them, by the file's suffix."""
    breaks = YAML_BREAK if path.endswith((".yaml", ".yml")) else _PLAIN_BREAK
    return breaks.split(text)


def split_yaml_lines(text: str) -> list[str]:
    """Split a workflow into lines as its problems count them."""
    return YAML_BREAK.split(text)


def split_with_breaks(text: str) -> list[str]:
    """Split into line, break, line, break, …, line, which joined give the text."""
    return re.split(f"({YAML_BREAK.pattern})", text)


Severity = Literal["error", "warning"]


class Place(NamedTuple):
    """A range of a file; lines and columns count from 1, the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def label(self) -> str:
        """`path:line:column`, as a note names it."""
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Fix:
    """A safe fix of a problem: replace `old`, which is where the problem is, by `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a document: what is wrong, where, and how to fix it.

    Attributes:
        path: the file, as the person wrote it.
        line, column: its start, from 1.
        end_column: the first column after the token when it ends on the same line, else `column + 1`.
        severity: an `error` stops a run, a `warning` does not.
        code: `E201`; stable, and documented.
        name: the code in words, `unknown-target`.
        message: one sentence, names quoted.
        help: what to do; can be empty.
        note: a related place, `path:line:column: …`; can be empty.
        fix: a safe fix, if there is one.
    """

    path: str
    line: int
    column: int
    end_column: int
    severity: Severity
    code: str
    name: str
    message: str
    help: str = ""
    note: str = ""
    fix: Fix | None = None

    @property
    def heading(self) -> str:
        """The first line for people: `path:line:column: severity: message [code name]`."""
        where = f"{self.path}:{self.line}:{self.column}"
        return f"{where}: {self.severity}: {self.message} [{self.code} {self.name}]"


def to_safe_line(text: str, most: int = 600) -> str:
    """Convert to one line that is safe to show, without escape codes and not too long."""
    if len(text) > most:
        text = f"{text[: most * 2 // 3]} … {text[-most // 4 :]}"
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " if char in "\n\t " else f"\\u{ord(char):04x}" for char in text)


def sort_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Sort problems by file, line and column, without duplicates."""
    return tuple(sorted(set(problems), key=lambda p: (p.path, p.line, p.column, p.code, p.message)))


def select_errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Select the problems that prevent a run."""
    return tuple(p for p in problems if p.severity == "error")


list_names = errors.list_names

MAX_COMPARISONS = 40_000
"""Known names that the wrong names of one document are compared with, up to 15 µs each."""

MAX_NAME = 160
"""Characters of a known name; a longer one is similar to no word of 80."""


class _Comparisons:
    """Comparisons that are left."""

    def __init__(self) -> None:
        self.left = MAX_COMPARISONS


_comparisons: ContextVar[_Comparisons | None] = ContextVar("aurora_comparisons", default=None)


@contextmanager
def limit_suggestions() -> Iterator[None]:
    """Limit the comparisons of the block; past the limit, names are reported without a suggestion.

    A file of a thousand unknown names among a thousand known ones would else take minutes. Within another such block it
    does nothing.
    """
    if _comparisons.get() is not None:
        yield
        return
    token = _comparisons.set(_Comparisons())
    try:
        yield
    finally:
        _comparisons.reset(token)


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None; ignore case."""
    names = _select_names(known)
    return errors.find_nearest(word, names) if names else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?`, or an empty string without a similar name."""
    near = find_nearest(word, known)
    return f'did you mean "{near}"?' if near else ""


def suggest_fix(word: str, known: Iterable[str]) -> Fix | None:
    """Return the fix that replaces the word with the only similar name, or None."""
    names = _select_names(known)
    target = errors.find_unambiguous(word, names) if names else None
    return Fix(word, target) if target is not None else None


def _select_names(known: Iterable[str]) -> list[str]:
    """Select the names to compare, and count them; none past the limit."""
    names = [name for name in known if len(name) <= MAX_NAME]
    comparisons = _comparisons.get()
    if comparisons is None:
        return names[:MAX_COMPARISONS]
    comparisons.left -= len(names)
    return names if comparisons.left >= 0 else []
