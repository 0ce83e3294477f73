"""YAML loading: text to a tree of nodes with places, or problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import check_cancelled
from aurora.interpreter.problems import MAX_BYTES, Place, codes, limit_suggestions, split_lines

from .builder import RecoverableYamlError, TreeBuilder
from .limits import MAX_DIRECTIVES, MAX_READ_PROBLEMS, MAX_REREAD_CHARACTERS, MAX_REREAD_NODES, InvalidYamlError
from .unquoted_values import map_placeholders

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem

    from .node import Node
    from .unquoted_values import Recovery


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
    with limit_suggestions():
        return _read_document(decoded, path)


def _read_document(text: str, path: str) -> tuple[Node | None, tuple[Problem, ...]]:
    if text.count("\n%") > MAX_DIRECTIVES:
        message = f'more than {MAX_DIRECTIVES} lines begin with "%"'
        return None, (codes.TOO_BIG.make_problem(Place(path, 1, 1, 1, 2), message, help="a workflow needs none"),)
    recovered: list[Recovery] = []
    nodes_read = 0
    while True:
        check_cancelled()
        reader = TreeBuilder(path, recovered[-1].text if recovered else text, map_placeholders(recovered))
        recovered_problems = tuple(recovery.problem for recovery in recovered if not recovery.is_valid)
        try:
            root = reader.build()
        except RecoverableYamlError as stopped:
            nodes_read += reader.node_count
            if _is_reread_too_long(text, len(recovered), nodes_read):
                last = stopped.recovery.problem
                place = Place(path, last.line, last.column, last.line, last.end_column)
                message = f"{len(recovered)} values up to here need quotes; the rest of the file is not read"
                unread = codes.TOO_BIG.make_problem(place, message, help="fix these first")
                return None, (*recovered_problems, *reader.problems, last, unread)
            recovered.append(stopped.recovery)
            continue
        except InvalidYamlError as refused:
            last = refused.problem
            before = (
                recovery for recovery in reader.problems if (recovery.line, recovery.column) != (last.line, last.column)
            )
            return None, (*recovered_problems, *before, last)
        return (None if reader.is_unusable else root), (*recovered_problems, *reader.problems)


def _is_reread_too_long(text: str, rounds: int, nodes_read: int) -> bool:
    """Check that reading the text once more would exceed a limit."""
    return rounds >= MAX_READ_PROBLEMS or len(text) * rounds > MAX_REREAD_CHARACTERS or nodes_read > MAX_REREAD_NODES


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
