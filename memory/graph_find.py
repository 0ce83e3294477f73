"""Which node a person means: by id, by place, by chunk, by qualified symbol or by plain name."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from ..faults import Code, Fault
from .graph_values import Node
from .search_roles import is_test
from .store_rows import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

COLUMNS = "n, id, path, symbol, name, kind, language, start_line, end_line"
_PLACE = re.compile(r"(.+):(\d{1,9})")
_IN_FILE = re.compile(r"(.+?):{1,2}([^:/\\]+(?:::[^:/\\]+)*)")
_CHUNK = re.compile(r"(?:code|know|reas):[0-9a-f]{12}")
_TOLD = 20
_SHOWN = 120
_NEAR = 3
_ALIKE = 0.78
"""Letters that two names must share to be told as near: "spwan" and "spawn" do, "nope" and "open" do not."""
_SCANNED = 200_000


def node_of(row: Sequence[object]) -> Node:
    """The node in a row of `COLUMNS`."""
    return Node(*row)  # type: ignore[arg-type] # the columns have the types of the fields


def nodes(db: apsw.Connection, where: str, *bindings: object, order: str = "path, start_line") -> list[Node]:
    """The nodes that fit a condition of this room's own."""
    rows = ask(db, f"SELECT {COLUMNS} FROM nodes WHERE {where} ORDER BY {order}", bindings)  # noqa: S608 - our own words
    return [node_of(row) for row in rows]


def find(db: apsw.Connection, name: str) -> list[Node]:
    """All that a name may mean, the first way that finds something: none, one, or several.

    Args:
        db: inside a read transaction.
        name: an id, a chunk's id, `path:line`, `path:symbol`, a path, `Class.method`, or a plain name.
    """
    name = name.strip()
    if found := nodes(db, "id = ?", name):
        return found
    if _CHUNK.fullmatch(name):
        return of_chunk(db, name)
    if (match := _PLACE.fullmatch(name)) and (found := at(db, match[1], int(match[2]))):
        return found
    if (match := _IN_FILE.fullmatch(name)) and (found := _in_file(db, match[1], match[2])):
        return found
    dotted = name.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
    last = dotted.rpartition(".")[2]
    named = [each for each in nodes(db, "name = ?", last) if f".{each.symbol}".endswith(f".{dotted}")]
    if not named:
        path = f"%/{name.lstrip('/')}" if name else ""
        named = nodes(db, "symbol = '' AND (name = ? OR '/' || path LIKE ?)", name, path)
    return _one_each(named)


def _in_file(db: apsw.Connection, path: str, symbol: str) -> list[Node]:
    """What bears this name in the files whose path ends so: `handle.rs::spawn`, `src/handle.rs:spawn`."""
    dotted = symbol.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
    there = nodes(
        db, "name = ? AND substr('/' || path, ?) = ?", dotted.rpartition(".")[2], -len(path) - 1, f"/{path.lstrip('/')}"
    )
    return _one_each([each for each in there if f".{each.symbol}".endswith(f".{dotted}")])


def at(db: apsw.Connection, path: str, line: int) -> list[Node]:
    """The innermost definition around a line."""
    held = nodes(
        db, "path = ? AND start_line <= ? AND end_line >= ?", path, line, line, order="start_line DESC, n DESC"
    )
    return held[:1]


def of_chunk(db: apsw.Connection, id_: str) -> list[Node]:
    """What a chunk defines: what begins in it, the outermost first; else what it is a part of."""
    rows = ask(db, "SELECT path, start_line, end_line FROM chunks WHERE id = ? AND path IS NOT NULL", (id_,))
    for path, start, end in rows:
        held = nodes(db, "path = ? AND start_line BETWEEN ? AND ? AND symbol != ''", path, start, end)
        return _one_each([each for each in held if each.end <= end][:1]) or at(db, path, start)
    return []


def chunk_at(db: apsw.Connection, path: str, line: int) -> str | None:
    """The id of the chunk that holds a line."""
    rows = ask(
        db,
        "SELECT id FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ? ORDER BY start_line DESC LIMIT 1",
        (path, line, line),
    )
    return str(rows[0][0]) if rows else None


def line_at(db: apsw.Connection, path: str, line: int) -> str:
    """The text of a line as it was indexed, without the blanks around it; empty when no chunk holds it."""
    rows = ask(
        db,
        "SELECT text, start_line FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ? LIMIT 1",
        (path, line, line),
    )
    lines = rows[0][0].split("\n") if rows else []
    return str(lines[line - rows[0][1]]).strip() if rows and line - rows[0][1] < len(lines) else ""


def one(db: apsw.Connection, name: str) -> Node:
    """The one node that a name means.

    Raises:
        Fault: NOT_FOUND, with near names; CONFLICT when it may mean several, with their ids, those that are nobody's
            member first and tests last.
    """
    found = find(db, name)
    if len(found) == 1:
        return found[0]
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    if found:
        ids = [each.id for each in sorted(found, key=lambda each: (is_test(each.path), "." in each.symbol))]
        raise Fault(
            Code.CONFLICT,
            f'"{shown}" may mean {len(found)} definitions',
            help="Name one of them by its id: "
            + ", ".join(f'"{id_}"' for id_ in ids[:_NEAR])
            + (" …" if len(ids) > _NEAR else ""),
            details={"candidates": ids[:_TOLD], "total": len(found)},
        )
    near = near_names(db, name)
    raise Fault(
        Code.NOT_FOUND,
        f'the graph holds nothing called "{shown}"' + (f'; did you mean "{near[0]}"?' if near else ""),
        help='Give a name, "Class.method", "path:line", a node\'s id or a chunk\'s; `aur mem index` reads what is new.',
        details={"name": shown, "near": near},
    )


def near_names(db: apsw.Connection, name: str) -> list[str]:
    """Names that are spelt much like this one."""
    last = name.replace("::", ".").removesuffix("()").rpartition(".")[2]
    rows = ask(
        db,
        "SELECT DISTINCT name FROM nodes WHERE length(name) BETWEEN ? AND ? AND kind != 'section' LIMIT ?",
        (len(last) - 2, len(last) + 2, _SCANNED),
    )
    folded = {str(row[0]).casefold(): str(row[0]) for row in rows}
    return [folded[near] for near in difflib.get_close_matches(last.casefold(), folded, n=_NEAR, cutoff=_ALIKE)]


def _one_each(found: Sequence[Node]) -> list[Node]:
    """One for each symbol of a file: of several that are called the same there, the last, which is what counts."""
    return list({(each.path, each.symbol): each for each in found}.values())
