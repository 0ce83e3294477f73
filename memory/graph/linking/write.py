"""Puts a file's part of the graph into the tables, inside the transaction of its batch; what stays keeps its number."""

from __future__ import annotations

from collections import Counter
from itertools import count, repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.model.symbols import Def, Facts
    from aurora.memory.sqlite.tables.all import Tables
    from aurora.memory.sqlite.tables.nodes import Moved, Old, Placed
    from aurora.memory.sqlite.tables.references import Referring


def write(db: Tables, path: str, facts: Facts | None) -> None:
    """Replace what the graph holds of a file; `graph_link.link` must follow before it is read.

    Args:
        db: inside a write transaction that already wrote the file's row.
        path: the file.
        facts: its part; None when it has none.
    """
    db.nodes.keep_file(path)
    old = db.nodes.of_file(path)
    if facts is None:
        db.nodes.remove_file(path)
        return
    ids = ids_of(path, facts.defs)
    gone = set(old).difference(ids)
    if gone:
        db.nodes.remove(gone)
    numbers = _numbered(db, ids, old)
    if old:
        _place(db, path, facts, ids, numbers, old)
    else:
        _place_all(db, path, facts, ids, numbers)
    refs = zip(map(numbers.__getitem__, facts.refs.sources), *facts.refs[1:], strict=True)
    db.references.add(_fresh(db, path, refs) if old else refs)


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


def _numbered(db: Tables, ids: Sequence[str], old: Mapping[str, Old]) -> list[int]:
    """The number of each node: that which it has, or the next one that was never used."""
    fresh = count(db.nodes.next_number())
    return [old[id_][0] if id_ in old else next(fresh) for id_ in ids]


def _place_all(db: Tables, path: str, facts: Facts, ids: Sequence[str], numbers: Sequence[int]) -> None:
    """Write the nodes of a file that has none; their names wait to be linked."""
    symbols, names, kinds, starts, ends, parents = zip(*facts.defs, strict=True)
    above = [numbers[parent] if parent >= 0 else None for parent in parents]
    paths, languages = repeat(path, len(ids)), repeat(facts.language, len(ids))
    db.nodes.add(zip(numbers, ids, paths, symbols, names, kinds, languages, starts, ends, above, strict=True))
    db.references.wait(set(names))


def _place(  # noqa: PLR0913, PLR0917 - what is written, where, and what is there
    db: Tables, path: str, facts: Facts, ids: Sequence[str], numbers: Sequence[int], old: Mapping[str, Old]
) -> None:
    """Write the nodes; names of those that are new, or something else than before, wait to be linked."""
    new: list[Placed] = []
    moved: list[Moved] = []
    names: set[str] = set()
    for id_, n, each in zip(ids, numbers, facts.defs, strict=True):
        parent = numbers[each.parent] if each.parent >= 0 else None
        before = old.get(id_)
        if before is None:
            what = (path, each.symbol, each.name, each.kind, facts.language)
            new.append((n, id_, *what, each.start, each.end, parent))
        else:
            moved.append((each.kind, facts.language, each.start, each.end, parent, n))
        if before is None or before[1:] != (each.kind, facts.language):
            names.add(each.name)
    db.nodes.add(new)
    db.nodes.move(moved)
    if facts.language == "go":  # what follows from method sets has its type's line, and may not be drawn anew now
        db.references.move_methods((start, n) for _, _, start, *_, n in moved)
    db.references.wait(names)


def _fresh(db: Tables, path: str, refs: Iterable[Referring]) -> list[Referring]:
    """Keep the references of the file that are still there, with the edges that they were linked to; the new ones."""
    old = {row[:4]: row[4:] for row in db.references.of_file(path)}
    new = {row[:4]: row[4] for row in refs}
    db.references.remove(old[key][0] for key in old.keys() - new.keys())
    db.references.move([(line, old[key][0]) for key, line in new.items() if key in old and old[key][1] != line])
    return [(*key, line) for key, line in new.items() if key not in old]


def packages(db: Tables) -> frozenset[str]:
    """The folders that are packages of Python."""
    return frozenset(path.rpartition("/")[0] for path in db.nodes.packages())
