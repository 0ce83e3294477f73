"""Recording of a case: its path in the case file, and its snapshot."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find_key
from aurora.interpreter.problems import UnreadableFileError, read_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.interpreter.yaml import Node

    from .case import Case

SNAPSHOT_FOLDER = "snapshots"
_MAX_WIDTH = 110
_PLAIN_SCALAR = re.compile(r"[A-Za-z_][\w-]*")


def locate_snapshot(case: Case) -> Path:
    """Return the path of a case's snapshot, in a folder next to its file."""
    slug = re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-")[:80] or "case"
    return case.path.parent / SNAPSHOT_FOLDER / case.path.stem / f"{slug}.json"


def read_snapshot(case: Case) -> list[Any] | None:
    """Read the snapshot of a case; None when there is no valid one."""
    try:
        data = json.loads(read_file(locate_snapshot(case)))
    except (UnreadableFileError, ValueError, RecursionError):
        return None
    return data if isinstance(data, list) and all(isinstance(one, dict) for one in data) else None


def format_snapshot(views: Sequence[Any]) -> str:
    """Format a snapshot as its file contains it."""
    return json.dumps(views, indent=2, ensure_ascii=False) + "\n"


def set_expected_path(text: str, case: Case, path: Sequence[Any]) -> str:
    """Return the text of a case file with this expected path; all else is unchanged."""
    lines = text.splitlines(keepends=True)
    flow = "[" + ", ".join(_format_item(one) for one in path) + "]"
    expect = case.node.get("expect")
    if expect is None or expect.kind != "map" or not expect.items:
        return _insert_expect(lines, case.node, flow, path)
    said = expect.get("path")
    if said is not None:
        key = find_key(expect, ("path",)).place
        return _replace_text(
            lines,
            _find_offset(lines, key.line, key.column),
            _find_end(lines, said),
            _format_path(flow, path, key.column),
        )
    first = expect.items[0][0].place
    start = _find_offset(lines, first.line, first.column)
    if _is_flow(lines, expect):
        return _replace_text(lines, start, start, f"path: {flow}, ")
    indent = " " * (first.column - 1)
    return _replace_text(lines, start, start, f"{_format_path(flow, path, first.column)}\n{indent}")


def _insert_expect(lines: list[str], case: Node, flow: str, path: Sequence[Any]) -> str:
    """Insert an `expect` at the end of the case."""
    column = case.items[0][0].place.column
    indent = " " * (column - 1)
    said = f"expect:\n{indent}  {_format_path(flow, path, column + 2)}"
    empty = case.get("expect")
    if empty is not None:
        key = find_key(case, ("expect",)).place
        return _replace_text(lines, _find_offset(lines, key.line, key.column), _find_end(lines, empty), said)
    end = max(_find_end(lines, value) for _, value in case.items)
    after = "".join(lines)[end:].partition("\n")[0]  # a comment at the end of the line stays in place
    return _replace_text(lines, end + len(after), end + len(after), f"\n{indent}{said}")


def _replace_text(lines: list[str], start: int, end: int, new: str) -> str:
    text = "".join(lines)
    return text[:start] + new + text[end:]


def _find_offset(lines: list[str], line: int, column: int) -> int:
    return sum(len(one) for one in lines[: line - 1]) + column - 1


def _is_flow(lines: list[str], node: Node) -> bool:
    return lines[node.place.line - 1][node.place.column - 1 : node.place.column] in ("[", "{")


def _find_end(lines: list[str], node: Node) -> int:
    """Find the end of a node's text; a block ends with its last member."""
    last = node.children[-1] if node.children else node.items[-1][1] if node.items else None
    if last is not None and not _is_flow(lines, node):
        return _find_end(lines, last)
    end = _find_offset(lines, node.place.end_line, node.place.end_column)
    text = "".join(lines)
    return len(text[:end].rstrip()) if node.style in ("|", ">") else end


def _format_path(flow: str, path: Sequence[Any], column: int) -> str:
    """Format `path: …` on one line if it fits, else with a line per phase."""
    if column + len("path: ") + len(flow) <= _MAX_WIDTH:
        return f"path: {flow}"
    indent = " " * (column + 1)
    return "path:" + "".join(f"\n{indent}- {_format_item(one)}" for one in path)


def _format_item(one: Any) -> str:
    if isinstance(one, dict):
        return ", ".join(f"{_format_item(phase)}: {code}" for phase, code in one.items())
    return one if _PLAIN_SCALAR.fullmatch(one) else json.dumps(one, ensure_ascii=False)
