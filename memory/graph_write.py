"""Puts a file's part of the graph into the tables, inside the transaction of its batch; what stays keeps its number."""

from __future__ import annotations

from collections import Counter
from itertools import count, repeat
from typing import TYPE_CHECKING, Any

from .sqlite.rows import ask, pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from .graph_model import Def, Facts

    Old = tuple[int, str, str]
    """What is known of a node that is there: its number, kind and language."""
    Row = tuple[int, int, str, str, int]
    """A reference: the number of the node it is in, kind, name, via and line."""

_NODE = """
INSERT INTO nodes (n, id, path, symbol, name, kind, language, start_line, end_line, parent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REF = "INSERT INTO refs (source, kind, name, via, line, linked) VALUES (?1, ?2, ?3, ?4, ?5, {})"
# A reference waits by itself only when its name does not wait already and some definition bears it: of a name that
# nothing bears, all references wait from the moment that something does.
_LINKED = """
NOT EXISTS (SELECT 1 FROM nodes WHERE name = ?3) OR EXISTS (SELECT 1 FROM graph_pending WHERE name = ?3)
"""
_INTO_LINKED, _INTO_NEW = _REF.format(_LINKED), _REF.format(1)
_ONCE_LINKED = "SELECT EXISTS (SELECT 1 FROM facts WHERE key = 'graph_generation')"
_MOVED = "UPDATE nodes SET kind = ?, language = ?, start_line = ?, end_line = ?, parent = ? WHERE n = ?"
_METHODS_MOVED = "UPDATE refs SET line = ? WHERE source = ? AND via = 'methods'"
_NEXT = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'nodes'"
_WAIT = "INSERT OR IGNORE INTO graph_pending (name) VALUES (?)"


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
    numbers = _numbered(db, ids, old)
    if old:
        _place(db, path, facts, ids, numbers, old)
    else:
        _place_all(db, path, facts, ids, numbers)
    refs = zip(map(numbers.__getitem__, facts.refs.sources), *facts.refs[1:], strict=True)
    _refer(db, _fresh(db, path, refs) if old else refs)


def ids_of(path: str, defs: tuple[Def, ...]) -> list[str]:
    """The ids of a file's nodes: `path`, and `path::Class.method`.

    Of several that are called the same, the last has that id, for it is the one that counts in most languages; those
    before it are `path::Class.method~1`, `~2` …
    """
    whole = Counter(each.symbol for each in defs)
    if len(whole) == len(defs):
        return [f"{path}::{each.symbol}" if each.symbol else path for each in defs]
    seen: Counter[str] = Counter()
    ids = []
    for each in defs:
        id_ = f"{path}::{each.symbol}" if each.symbol else path
        seen[each.symbol] += 1
        ids.append(id_ if seen[each.symbol] == whole[each.symbol] else f"{id_}~{seen[each.symbol]}")
    return ids


def _numbered(db: apsw.Connection, ids: Sequence[str], old: Mapping[str, Old]) -> list[int]:
    """The number of each node: that which it has, or the next one that was never used."""
    ((first,),) = ask(db, _NEXT)
    fresh = count(int(first))
    return [old[id_][0] if id_ in old else next(fresh) for id_ in ids]


def _place_all(db: apsw.Connection, path: str, facts: Facts, ids: Sequence[str], numbers: Sequence[int]) -> None:
    """Write the nodes of a file that has none; their names wait to be linked."""
    symbols, names, kinds, starts, ends, parents = zip(*facts.defs, strict=True)
    above = [numbers[parent] if parent >= 0 else None for parent in parents]
    paths, languages = repeat(path, len(ids)), repeat(facts.language, len(ids))
    db.executemany(_NODE, zip(numbers, ids, paths, symbols, names, kinds, languages, starts, ends, above, strict=True))
    db.executemany(_WAIT, zip(set(names), strict=True))


def _place(  # noqa: PLR0913, PLR0917 - what is written, where, and what is there
    db: apsw.Connection, path: str, facts: Facts, ids: Sequence[str], numbers: Sequence[int], old: Mapping[str, Old]
) -> None:
    """Write the nodes; names of those that are new, or something else than before, wait to be linked."""
    new: list[tuple[Any, ...]] = []
    moved: list[tuple[Any, ...]] = []
    names: set[str] = set()
    for id_, n, each in zip(ids, numbers, facts.defs, strict=True):
        parent = numbers[each.parent] if each.parent >= 0 else None
        before = old.get(id_)
        if before is None:
            place = (path, each.symbol, each.name, each.kind, facts.language, each.start, each.end, parent)
            new.append((n, id_, *place))
        else:
            moved.append((each.kind, facts.language, each.start, each.end, parent, n))
        if before is None or before[1:] != (each.kind, facts.language):
            names.add(each.name)
    db.executemany(_NODE, new)
    db.executemany(_MOVED, moved)
    if facts.language == "go":  # what follows from method sets has its type's line, and may not be drawn anew now
        db.executemany(_METHODS_MOVED, ((start, n) for _, _, start, *_, n in moved))
    db.executemany(_WAIT, ((name,) for name in names))


def _fresh(db: apsw.Connection, path: str, refs: Iterable[Row]) -> list[Row]:
    """Keep the references of the file that are still there, with the edges that they were linked to; the new ones."""
    rows = ask(
        db,
        "SELECT source, refs.kind, refs.name, via, refs.n, line FROM nodes CROSS JOIN refs ON refs.source = nodes.n "
        "WHERE nodes.path = ? AND via != 'methods'",
        (path,),
    )
    old = {row[:4]: row[4:] for row in rows}
    new = {row[:4]: row[4] for row in refs}
    db.executemany("DELETE FROM refs WHERE n = ?", ((old[key][0],) for key in old.keys() - new.keys()))
    moved = [(line, old[key][0]) for key, line in new.items() if key in old and old[key][1] != line]
    db.executemany("UPDATE refs SET line = ? WHERE n = ?", moved)
    return [(*key, line) for key, line in new.items() if key not in old]


def _refer(db: apsw.Connection, refs: Iterable[Row]) -> None:
    """Add references; in a graph that was never linked every name that something bears waits."""
    ((once_linked,),) = ask(db, _ONCE_LINKED)
    db.executemany(_INTO_LINKED if once_linked else _INTO_NEW, refs)


def packages(db: apsw.Connection) -> frozenset[str]:
    """The folders that are packages of Python."""
    held = pairs(db, "SELECT path, 1 FROM nodes WHERE symbol = '' AND path LIKE '%\\_\\_init\\_\\_.py' ESCAPE '\\'")
    return frozenset(path.rpartition("/")[0] for path in held)
