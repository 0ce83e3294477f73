"""YAML loading: text to a tree of nodes with places, or problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import MAX_BYTES, Place, codes, split_lines

from .builder import InvalidYamlError, RecoverableYamlError, TreeBuilder
from .unquoted_values import map_placeholders

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem

    from .node import Node
    from .unquoted_values import Recovery

MAX_REREAD_CHARACTERS = 4_000_000
"""Limit of characters to read again after values without quotes."""


def read_yaml(text: bytes | str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """Read the document's tree and its problems.

    After an error such as a duplicate key there is still a tree, with what was most likely meant, to inspect and not to
    run. Otherwise the tree is None, and at least one problem is an error.

    Args:
        text: the file's content; bytes must be UTF-8 (a byte order mark is allowed).
        path: the name of the file in problems.
    """
    if len(text) > MAX_BYTES:
        return None, (
            codes.TOO_BIG.make_problem(Place(path, 1, 1, 1, 2), f"the file is larger than {MAX_BYTES:,} bytes"),
        )
    if isinstance(text, bytes) and (reason := _detect_encoding(text)):
        return None, (codes.ENCODING.make_problem(Place(path, 1, 1, 1, 2), reason, help="save the file as UTF-8"),)
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, (make_encoding_problem(error, path),)
    return _read_document(decoded, path)


def _read_document(text: str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    recovered: list[Recovery] = []
    while True:
        reader = TreeBuilder(path, recovered[-1].text if recovered else text, map_placeholders(recovered))
        recovered_problems = tuple(recovery.problem for recovery in recovered)
        try:
            root = reader.build()
        except RecoverableYamlError as stopped:
            if len(text) * len(recovered) > MAX_REREAD_CHARACTERS:
                return None, (*recovered_problems, *reader.problems, stopped.recovery.problem)
            recovered.append(stopped.recovery)
            continue
        except InvalidYamlError as refused:
            last = refused.problem
            before = (
                recovery for recovery in reader.problems if (recovery.line, recovery.column) != (last.line, last.column)
            )
            return None, (*recovered_problems, *before, last)
        return (None if reader.is_unusable else root), (*recovered_problems, *reader.problems)


def _detect_encoding(data: bytes) -> str:
    """Detect UTF-16 and UTF-32 by the first bytes; empty if it is neither."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "the file is UTF-32, not UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is UTF-16, not UTF-8"
    nulls = data[:4].count(0)
    return "the file is UTF-16 or UTF-32, not UTF-8" if nulls > 1 else ""


def make_encoding_problem(error: UnicodeDecodeError, path: str) -> Problem:
    """Create the problem of a file that is not UTF-8, at its first wrong byte."""
    data = error.object
    before = split_lines(path, data[: error.start].decode("utf-8-sig", errors="replace"))
    line, column = len(before), len(before[-1]) + 1
    message = _detect_encoding(data) or f"byte 0x{data[error.start]:02x} is not UTF-8"
    return codes.ENCODING.make_problem(
        Place(path, line, column, line, column + 1), message, help="save the file as UTF-8"
    )
