"""Puts a file's part of the graph into the tables, inside the transaction of its batch; what stays keeps its number."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .store_rows import ask, pairs

if TYPE_CHECKING:
    import apsw

    from .graph_model import Def, Facts

_NODE = """
INSERT INTO nodes (id, path, symbol, name, kind, language, start_line, end_line, parent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n
"""
_MOVED = "UPDATE nodes SET kind = ?, language = ?, start_line = ?, end_line = ?, parent = ? WHERE n = ?"


def write(db: apsw.Connection, path: str, facts: Facts | None) -> None:
    """Replace what the graph holds of a file; `graph_link.link` must follow before it is read.

    Args:
        db: inside a write transaction that already wrote the file's row.
        path: the file.
        facts: its part; None when it has none.
    """
    db.execute("DELETE FROM graph_gone WHERE path = ?", (path,))
    old = {row[0]: row[1:] for row in ask(db, "SELECT id, n, kind, language FROM nodes WHERE path = ?", (path,))}
    if facts is None:
        db.execute("DELETE FROM nodes WHERE path = ?", (path,))
        return
    ids = ids_of(path, facts.defs)
    gone = set(old).difference(ids)
    if gone:
        db.executemany("DELETE FROM nodes WHERE id = ?", ((id_,) for id_ in gone))
    numbers: list[int] = []
    for id_, each in zip(ids, facts.defs, strict=True):
        parent = numbers[each.parent] if 0 <= each.parent < len(numbers) else None
        numbers.append(_place(db, path, id_, each, facts.language, parent, old.get(id_)))
    for number, each in zip(numbers, facts.defs, strict=True):
        if each.parent >= len(numbers) or (each.parent >= 0 and numbers[each.parent] > number):
            db.execute("UPDATE nodes SET parent = ? WHERE n = ?", (numbers[each.parent], number))
    _refer(db, path, facts, numbers)


def ids_of(path: str, defs: tuple[Def, ...]) -> list[str]:
    """The ids of a file's nodes: `path`, and `path::Class.method`.

    Of several that are called the same, the last has that id, for it is the one that counts in most languages; those
    before it are `path::Class.method~1`, `~2` …
    """
    whole = Counter(each.symbol for each in defs)
    seen: Counter[str] = Counter()
    ids = []
    for each in defs:
        id_ = f"{path}::{each.symbol}" if each.symbol else path
        seen[each.symbol] += 1
        ids.append(id_ if seen[each.symbol] == whole[each.symbol] else f"{id_}~{seen[each.symbol]}")
    return ids


def _place(  # noqa: PLR0913, PLR0917 - a row has that many columns
    db: apsw.Connection,
    path: str,
    id_: str,
    each: Def,
    language: str,
    parent: int | None,
    old: tuple[int, str, str] | None,
) -> int:
    if old is not None:
        db.execute(_MOVED, (each.kind, language, each.start, each.end, parent, old[0]))
        if old[1:] != (each.kind, language):
            _wait(db, each.name)
        return old[0]
    row = (id_, path, each.symbol, each.name, each.kind, language, each.start, each.end, parent)
    ((n,),) = ask(db, _NODE, row)
    _wait(db, each.name)
    return int(n)


def _wait(db: apsw.Connection, name: str) -> None:
    db.execute("INSERT OR IGNORE INTO graph_pending (name) VALUES (?)", (name,))


def _refer(db: apsw.Connection, path: str, facts: Facts, numbers: list[int]) -> None:
    """Keep the references that are still there, with the edges that they were linked to."""
    rows = ask(
        db,
        "SELECT source, refs.kind, refs.name, via, refs.n, line FROM nodes CROSS JOIN refs ON refs.source = nodes.n "
        "WHERE nodes.path = ? AND via != 'methods'",
        (path,),
    )
    old = {row[:4]: row[4:] for row in rows}
    new = {(numbers[ref.source], ref.kind, ref.name, ref.via): ref.line for ref in facts.refs}
    db.executemany("DELETE FROM refs WHERE n = ?", ((old[key][0],) for key in old.keys() - new.keys()))
    moved = [(line, old[key][0]) for key, line in new.items() if key in old and old[key][1] != line]
    db.executemany("UPDATE refs SET line = ? WHERE n = ?", moved)
    db.executemany(
        "INSERT INTO refs (source, kind, name, via, line) VALUES (?, ?, ?, ?, ?)",
        ((*key, line) for key, line in new.items() if key not in old),
    )


def packages(db: apsw.Connection) -> frozenset[str]:
    """The folders that are packages of Python."""
    held = pairs(db, "SELECT path, 1 FROM nodes WHERE symbol = '' AND path LIKE '%\\_\\_init\\_\\_.py' ESCAPE '\\'")
    return frozenset(path.rpartition("/")[0] for path in held)
