"""Writing of a file's facts to the tables; unchanged nodes keep their numbers."""

from __future__ import annotations

from collections import Counter
from itertools import count, repeat
from typing import TYPE_CHECKING

from aurora.memory.parsing.languages import LANGUAGES, load_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory.model import GraphDefinition, GraphFacts, NodeRow, NodeUpdate, ReferenceRow, StoredNode
    from aurora.memory.storage import Tables


def write_facts(db: Tables, path: str, facts: GraphFacts | None) -> None:
    """Replace the facts of a file; `link_references` must follow before the graph is read.

    Args:
        db: inside a write transaction that already wrote the file's row.
        path: the file.
        facts: its facts; None for a file without any.
    """
    db.nodes.cancel_file_removal(path)
    old = db.nodes.get_by_file(path)
    if facts is None:
        db.nodes.remove_file(path)
        return
    ids = make_ids(path, facts.defs)
    gone = set(old).difference(ids)
    if gone:
        db.nodes.remove(gone)
    numbers = _assign_numbers(db, ids, old)
    if old:
        _update_nodes(db, path, facts, dict(zip(ids, numbers, strict=True)), old)
    else:
        _insert_all(db, path, facts, ids, numbers)
    refs = zip(map(numbers.__getitem__, facts.refs.sources), *facts.refs[1:], strict=True)
    db.references.insert(_diff_references(db, path, refs) if old else refs)


def make_ids(path: str, defs: tuple[GraphDefinition, ...]) -> list[str]:
    """Make the ids of a file's nodes: `path`, and `path::Class.method`.

    Of several definitions of one symbol the last has that id, for it counts in most languages; the ids of those before
    it are `path::Class.method~1`, `~2` …
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


def _assign_numbers(db: Tables, ids: Sequence[str], old: Mapping[str, StoredNode]) -> list[int]:
    """Assign each node the number that it has, or the next unused one."""
    fresh = count(db.nodes.get_next_number())
    return [old[id_][0] if id_ in old else next(fresh) for id_ in ids]


def _insert_all(db: Tables, path: str, facts: GraphFacts, ids: Sequence[str], numbers: Sequence[int]) -> None:
    """Insert the nodes of a new file, and mark their names as pending."""
    symbols, names, kinds, starts, ends, parents = zip(*facts.defs, strict=True)
    above = [numbers[parent] if parent >= 0 else None for parent in parents]
    paths, languages = repeat(path, len(ids)), repeat(facts.language, len(ids))
    db.nodes.insert(zip(numbers, ids, paths, symbols, names, kinds, languages, starts, ends, above, strict=True))
    db.references.mark_pending(set(names))


def _update_nodes(
    db: Tables, path: str, facts: GraphFacts, numbers: Mapping[str, int], old: Mapping[str, StoredNode]
) -> None:
    """Update the nodes, and mark the names of new and changed ones as pending."""
    new: list[NodeRow] = []
    moved: list[NodeUpdate] = []
    names: set[str] = set()
    order = list(numbers.values())
    for (id_, n), each in zip(numbers.items(), facts.defs, strict=True):
        parent = order[each.parent] if each.parent >= 0 else None
        before = old.get(id_)
        if before is None:
            what = (path, each.symbol, each.name, each.kind, facts.language)
            new.append((n, id_, *what, each.start, each.end, parent))
        else:
            moved.append((each.kind, facts.language, each.start, each.end, parent, n))
        if before is None or before[1:] != (each.kind, facts.language):
            names.add(each.name)
    db.nodes.insert(new)
    db.nodes.update(moved)
    if _has_implicit_interfaces(facts.language):  # links of method sets have the line of their type
        db.references.update_method_lines((start, n) for _, _, start, *_, n in moved)
    db.references.mark_pending(names)


def _has_implicit_interfaces(language: str) -> bool:
    return language in LANGUAGES and load_language(language).graph.scope.interfaces_are_implicit


def _diff_references(db: Tables, path: str, refs: Iterable[ReferenceRow]) -> list[ReferenceRow]:
    """Remove the references that are gone, update the lines of the others, and return the new ones."""
    old = {row[:4]: row[4:] for row in db.references.list_by_file(path)}
    new = {row[:4]: row[4] for row in refs}
    db.references.remove(old[key][0] for key in old.keys() - new.keys())
    db.references.update_lines([(line, old[key][0]) for key, line in new.items() if key in old and old[key][1] != line])
    return [(*key, line) for key, line in new.items() if key not in old]


def find_packages(db: Tables) -> frozenset[str]:
    """Return the folders that are Python packages."""
    return frozenset(path.rpartition("/")[0] for path in db.nodes.list_package_files())
