"""Linking of pending references: the new ones, and those of names whose definitions changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import count, groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from aurora.memory.model.graph import IMPLEMENTS
from aurora.memory.parsing.languages import LANGUAGES, load_language

from .resolve import Candidate, Candidates, ReferenceQuery, resolve_reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from aurora.memory.model.graph import (
        GraphDefinition,
        GraphFacts,
        LinkRow,
        NodeRow,
        NodeUpdate,
        ReferenceRow,
        StoredNode,
    )
    from aurora.memory.storage.store import Tables

_BATCH_EDGES = 20_000


def link_references(db: Tables) -> int:
    """Link all pending references, inside the open write transaction.

    Returns:
        The number of references that were linked. The edges are the same as after linking all references.
    """
    if not db.references.has_pending():
        return 0
    # Here and not with the file: one that was written again in the same run keeps its nodes, and so their links.
    db.nodes.remove_deleted_files()
    packages = find_packages(db)
    _unlink_changed(db, packages)
    count = _link_pending(db, packages)
    db.references.clear_pending()
    link_interfaces(db)
    db.meta.bump_graph_generation()
    return count


def _link_pending(db: Tables, packages: AbstractSet[str]) -> int:
    """Insert the edges of all references that are pending, or whose name is; return their number."""
    reader = _CandidateReader(db)
    edges: list[LinkRow] = []
    count = 0
    for name, pending in groupby(db.references.iter_pending(), key=itemgetter(3)):
        # Both come in the order of names: one name's definitions are in memory at a time, and none is read that
        # nothing names.
        candidates = reader.read_name(name)
        for ref, source, kind, _, via, path, symbol, language in pending:
            count += 1
            if candidates is not None:
                query = ReferenceQuery(kind, name, via, path, symbol, language)
                resolved = resolve_reference(query, candidates, packages)
                edges.extend((ref, n, source, kind, confidence, how) for n, confidence, how in resolved)
            # In batches: the edges of a large project need not be in memory together.
            if len(edges) >= _BATCH_EDGES:
                db.links.insert(edges)
                edges.clear()
    db.links.insert(edges)
    return count


class _CandidateReader:
    """A reader of candidates for names in ascending order; it has those of one name in memory."""

    def __init__(self, db: Tables) -> None:
        self._names = groupby(db.references.iter_candidates(), key=itemgetter(0))
        self._name: str | None = None
        self._read_next()

    def read_name(self, name: str) -> Candidates | None:
        """Read the candidates of a name, which must not sort before the last one."""
        while self._name is not None and self._name < name:
            self._read_next()
        return self._candidates if self._name == name else None

    def _read_next(self) -> None:
        self._name, rows = next(self._names, (None, ()))
        self._candidates = Candidates([Candidate._make(row[1:]) for row in rows])


def _unlink_changed(db: Tables, packages: AbstractSet[str]) -> None:
    """Remove the edges of every reference that may resolve differently now.

    Which folders are Python packages matters only for the names of definitions inside them: where that has changed,
    the names of all definitions in the folder become pending.
    """
    known = db.meta.get("graph_packages")
    now = {f"/{package}" for package in packages}
    if known is not None:
        changed = now.symmetric_difference(known.split("\n") if known else ())
        db.references.mark_folders_pending(package.removeprefix("/") for package in changed)
    db.links.remove_pending()
    db.meta.update(graph_packages="\n".join(sorted(now)))


CONFIDENCE = 0.6


_SOURCE = "method set"

_MIN_METHODS = 1

_MAX_TYPES = 200
"""An interface with more types than this (`String() string`) gets no links."""


def link_interfaces(db: Tables) -> None:
    """Replace the links from types to the interfaces whose methods they have, inside the open transaction."""
    db.references.remove_methods()
    types, interfaces = _collect_method_sets(db)
    # By method, so that each interface asks only for types that have its methods, and not each type for each
    # interface.
    having: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for owner, (_n, _line, methods) in types.items():
        for method in methods:
            having[method].add(owner)
    for (_folder, name), (target, _line, methods) in interfaces.items():
        # Every type has the methods of an interface without any.
        if len(methods) < _MIN_METHODS:
            continue
        owners = set.intersection(*(having[method] for method in methods))
        if not owners or len(owners) > _MAX_TYPES:
            continue
        for owner in sorted(owners):
            n, line, _methods = types[owner]
            ref = db.references.insert_methods(n, name, line)
            db.links.insert([(ref, target, n, IMPLEMENTS, CONFIDENCE, _SOURCE)])


_MethodSets = dict[tuple[str, str], tuple[int, int, set[str]]]


def _collect_method_sets(db: Tables) -> tuple[_MethodSets, _MethodSets]:
    """Collect the methods of types and of interfaces by folder and name.

    A type's methods may be in several files.
    """
    sets: tuple[_MethodSets, _MethodSets] = ({}, {})
    for n, path, symbol, kind, line in db.nodes.iter_go_types():
        folder = path.rpartition("/")[0]
        if kind != "method":
            sets[kind == "interface"].setdefault((folder, symbol), (n, line, set()))
            continue
        owner, _, method = symbol.rpartition(".")
        entry = sets[0].get((folder, owner)) or sets[1].get((folder, owner))
        if entry is not None:
            entry[2].add(method)
    return sets


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
    # A node keeps its number, and with it the links that lead to it from other files.
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
    # Most files define each symbol once, and nothing has to be counted.
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
        # A definition that only moved is found as before, so that nothing has to be linked again.
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
