"""Lookup of nodes by id, `path:line`, chunk, qualified symbol or plain name."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.files import is_test_file
from aurora.memory.model import LinkFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model import Node
    from aurora.memory.storage import Tables

_PLACE = re.compile(r"(.+):(\d{1,9})")
_IN_FILE = re.compile(r"(.+?):{1,2}([^:/\\]+(?:::[^:/\\]+)*)")
_CHUNK = re.compile(r"(?:code|know|reas):[0-9a-f]{12}")
_MAX_LISTED = 20
_MAX_NAME_CHARS = 120
_MAX_SUGGESTIONS = 3
_MIN_SIMILARITY = 0.78
"""The least similarity of a suggested name: "spwan" suggests "spawn", "nope" does not suggest "open"."""
_MAX_SCANNED = 200_000
_MAX_BASES = 200
"""Classes that are looked through for an inherited member."""
_BASES = LinkFilter(("inherits", "implements"), "out", limit=50)


def find_nodes(db: Tables, name: str) -> list[Node]:
    """Find the nodes that a name may refer to: the result of the first lookup that finds any.

    Args:
        db: inside a read transaction.
        name: an id, a chunk's id, `path:line`, `path:symbol`, a path, `Class.method`, or a plain name.
    """
    name = name.strip()
    if node := db.nodes.get_by_id(name):
        return [node]
    if _CHUNK.fullmatch(name):
        return find_in_chunk(db, name)
    if (match := _PLACE.fullmatch(name)) and (found := find_at_line(db, match[1], int(match[2]))):
        return found
    if (match := _IN_FILE.fullmatch(name)) and (found := _find_in_file(db, match[1], match[2])):
        return found
    dotted = name.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
    last = dotted.rpartition(".")[2]
    named = [each for each in db.nodes.find_by_name(last) if f".{each.symbol}".endswith(f".{dotted}")]
    named = named or _find_inherited(db, dotted) or db.nodes.find_files(name)
    return sorted(_deduplicate_symbols(named), key=_is_section)


def _is_section(node: Node) -> bool:
    return node.kind == "section"


def _find_inherited(db: Tables, dotted: str) -> list[Node]:
    """Find the member that a class inherits: `Child.run` of the nearest base class that defines `run`."""
    holder, _, member = dotted.rpartition(".")
    if not holder:
        return []
    named = db.nodes.find_by_name(holder.rpartition(".")[2])
    front = [each for each in named if f".{each.symbol}".endswith(f".{holder}") and not _is_section(each)]
    seen: set[int] = set()
    while front and len(seen) < _MAX_BASES:
        seen |= {each.n for each in front}
        front = _list_bases(db, front, seen)
        if found := [each for base in front for each in db.nodes.list_children(base.n) if each.name == member]:
            return found
    return []


def _list_bases(db: Tables, classes: Sequence[Node], seen: set[int]) -> list[Node]:
    """List the direct base classes that were not seen yet, each once."""
    links = [link for each in classes for link in db.links.list_page(each.n, "out", _BASES)]
    return list({link.node.n: link.node for link in links if link.node.n not in seen}.values())


def _find_in_file(db: Tables, path: str, symbol: str) -> list[Node]:
    """Find a symbol in the files with this end of a path: `handle.rs::spawn`, `src/handle.rs:spawn`."""
    dotted = symbol.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
    there = db.nodes.find_by_name_in(dotted.rpartition(".")[2], path)
    return _deduplicate_symbols([each for each in there if f".{each.symbol}".endswith(f".{dotted}")])


def find_at_line(db: Tables, path: str, line: int) -> list[Node]:
    """Find the innermost definition around a line."""
    node = db.nodes.find_innermost(path, line)
    return [node] if node else []


def find_in_chunk(db: Tables, id_: str) -> list[Node]:
    """Find the outermost definition that begins in a chunk; else the definition around it."""
    lines = db.chunks.get_line_range(id_)
    if lines is None:
        return []
    path, start, end = lines
    inside = [each for each in db.nodes.find_starting_between(path, start, end) if each.end <= end]
    return inside[:1] or find_at_line(db, path, start)


def read_line(db: Tables, path: str, line: int) -> str:
    """Read an indexed line, stripped; empty when no chunk contains it."""
    text, start = db.chunks.get_text_at(path, line) or ("", line)
    return "".join(text.split("\n")[line - start : line - start + 1]).strip()


def find_one(db: Tables, name: str) -> Node:
    """Find the one node that a name refers to; definitions in tests and headings give way to others.

    Raises:
        Fault: NOT_FOUND, with similar names; CONFLICT for several nodes, with their ids, top-level ones first and tests
            last.
    """
    found = find_nodes(db, name)
    plain = [each for each in found if not is_test_file(each.path)]
    code = [each for each in plain if not _is_section(each)]
    for some in (found, plain, code):
        if len(some) == 1:
            return some[0]
    shown = name if len(name) <= _MAX_NAME_CHARS else f"{name[:_MAX_NAME_CHARS]}…"
    if found:
        raise _make_conflict(shown, found)
    near = suggest_names(db, name)
    raise Fault(
        Code.NOT_FOUND,
        f'the graph has no definition "{shown}"' + (f'; did you mean "{near[0]}"?' if near else ""),
        help='Give a name, "Class.method", "path:line", or the id of a node or chunk; `aur mem index` reads new files.',
        details={"name": shown, "near": near},
    )


def _make_conflict(shown: str, found: Sequence[Node]) -> Fault:
    ids = [each.id for each in sorted(found, key=lambda each: (is_test_file(each.path), "." in each.symbol))]
    listed = ", ".join(f'"{id_}"' for id_ in ids[:_MAX_SUGGESTIONS])
    return Fault(
        Code.CONFLICT,
        f'"{shown}" is ambiguous: {len(found)} definitions have this name',
        help=f"Give the id of one of them: {listed}{' …' if len(ids) > _MAX_SUGGESTIONS else ''}",
        details={"candidates": ids[:_MAX_LISTED], "total": len(found)},
    )


def suggest_names(db: Tables, name: str) -> list[str]:
    """Suggest names with a similar spelling."""
    last = name.replace("::", ".").removesuffix("()").rpartition(".")[2]
    folded = {near.casefold(): near for near in db.nodes.list_names(len(last) - 2, len(last) + 2, _MAX_SCANNED)}
    matches = difflib.get_close_matches(last.casefold(), folded, n=_MAX_SUGGESTIONS, cutoff=_MIN_SIMILARITY)
    return [folded[near] for near in matches]


def _deduplicate_symbols(found: Sequence[Node]) -> list[Node]:
    """Keep one node for each symbol of a file: the last, which is the one that counts."""
    return list({(each.path, each.symbol): each for each in found}.values())
