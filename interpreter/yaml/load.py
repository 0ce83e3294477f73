"""YAML text to a tree of nodes, each with its place; hostile text becomes a problem, never an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.files import MAX_BYTES
from aurora.interpreter.problems.lines import lines_of
from aurora.interpreter.problems.problem import Place

from .builder import Reader, Refused, Stopped
from .unquoted_values import meant

if TYPE_CHECKING:
    from aurora.interpreter.problems.problem import Problem

    from .node import Node
    from .unquoted_values import Recovery

MOST_READ_ANEW = 4_000_000
"""Characters in all that are read again behind values that should stand in quotes."""


def read_yaml(text: bytes | str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """The document's tree, and the problems that were met in reading it.

    Where an error can be passed over, as a key that stands twice, there is a tree beside it: it holds what was most
    likely meant, fit to be looked at and not to be run. Else the tree is None, and at least one problem an error.

    Args:
        text: the file's content; bytes must be UTF-8 (a byte order mark is allowed).
        path: the name that problems bear.
    """
    if len(text) > MAX_BYTES:
        return None, (codes.TOO_BIG.at(Place(path, 1, 1, 1, 2), f"the file is larger than {MAX_BYTES:,} bytes"),)
    if isinstance(text, bytes) and (told := _no_text(text)):
        return None, (codes.ENCODING.at(Place(path, 1, 1, 1, 2), told, help="save the file as UTF-8"),)
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, (encoding_problem(error, path),)
    return _read(decoded, path)


def _read(text: str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    recovered: list[Recovery] = []
    while True:
        reader = Reader(path, recovered[-1].text if recovered else text, meant(recovered))
        told = tuple(one.problem for one in recovered)
        try:
            root = reader.read()
        except Stopped as stopped:
            if len(text) * len(recovered) > MOST_READ_ANEW:
                return None, (*told, *reader.problems, stopped.recovery.problem)
            recovered.append(stopped.recovery)
            continue
        except Refused as refused:
            last = refused.problem
            before = (one for one in reader.problems if (one.line, one.column) != (last.line, last.column))
            return None, (*told, *before, last)
        return (None if reader.lost else root), (*told, *reader.problems)


def _no_text(data: bytes) -> str:
    """What the first bytes tell that have no place in UTF-8."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "the file is UTF-32, not UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is UTF-16, not UTF-8"
    nulls = data[:4].count(0)
    return "the file is UTF-16 or UTF-32, not UTF-8" if nulls > 1 else ""


def encoding_problem(error: UnicodeDecodeError, path: str) -> Problem:
    """The problem of a file that is not UTF-8, at its first wrong byte."""
    data = error.object
    before = lines_of(path, data[: error.start].decode("utf-8-sig", errors="replace"))
    line, column = len(before), len(before[-1]) + 1
    message = _no_text(data) or f"byte 0x{data[error.start]:02x} is not UTF-8"
    return codes.ENCODING.at(Place(path, line, column, line, column + 1), message, help="save the file as UTF-8")
