"""Difference of two graphs: definitions and links that were added or removed, files that moved."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.memory.storage.store import Store, Tables

_MIN_SIMILARITY, _MIN_SHARED_NAMES = 0.6, 3
"""The least share of common definitions for a file to count as moved; and the least number of them when the file's
own name changed too, because many files define nothing but `main`."""


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a definition, of a link when it has a `target`, or of a file.

    A definition or a link was added or removed; a file `moved` to its target.
    """

    change: str
    kind: str
    id: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class _GraphSnapshot:
    """All definitions and links by their ids, which are the same in every database."""

    nodes: frozenset[tuple[str, str]]
    edges: frozenset[tuple[str, str, str]]

    def list_files(self) -> dict[str, frozenset[str]]:
        """List the symbols that each file defines."""
        files: dict[str, set[str]] = defaultdict(set)
        for id_, _kind in self.nodes:
            path, _, symbol = id_.partition("::")
            files[path].add(symbol)
        return {path: frozenset(symbols - {""}) for path, symbols in files.items()}

    def rename_files(self, moved: Mapping[str, str]) -> _GraphSnapshot:
        """Return the snapshot with the present paths of moved files."""

        def rename_id(id_: str) -> str:
            path, mark, symbol = id_.partition("::")
            return f"{moved.get(path, path)}{mark}{symbol}"

        return _GraphSnapshot(
            frozenset((rename_id(id_), kind) for id_, kind in self.nodes),
            frozenset((rename_id(source), kind, rename_id(target)) for source, kind, target in self.edges),
        )


def compare_graphs(new: Store, old: Store, least: float) -> list[Change]:
    """Compare two graphs: moved files, then definitions, then links, in the order of their ids.

    The contents of a moved file are compared with those at its old path.

    Args:
        new: the present graph.
        old: the earlier graph.
        least: the least confidence of a link that counts.
    """
    with new.begin_read() as db:
        now = _read_snapshot(db, least)
    with old.begin_read() as db:
        then = _read_snapshot(db, least)
    moved = _match_moved_files(now.list_files(), then.list_files())
    then = then.rename_files(moved)
    return [
        *(Change("moved", "module", old_path, new_path) for old_path, new_path in moved.items()),
        *(Change("added", kind, id_) for id_, kind in sorted(now.nodes - then.nodes)),
        *(Change("removed", kind, id_) for id_, kind in sorted(then.nodes - now.nodes)),
        *_list_link_changes("added", now.edges - then.edges),
        *_list_link_changes("removed", then.edges - now.edges),
    ]


def _match_moved_files(now: Mapping[str, frozenset[str]], then: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Match removed files with added ones that define mostly the same symbols."""
    holders: dict[str, list[str]] = defaultdict(list)
    for path in sorted(now.keys() - then.keys()):
        for symbol in now[path]:
            holders[symbol].append(path)
    moved: dict[str, str] = {}
    for path in sorted(then.keys() - now.keys()):
        shared = Counter(other for symbol in then[path] for other in holders.get(symbol, ()))
        likely: list[tuple[float, str]] = []
        for other, count in shared.items():
            has_same_name = other.rpartition("/")[2] == path.rpartition("/")[2]
            if other not in moved.values() and (count >= _MIN_SHARED_NAMES or has_same_name):
                likely.append((count / len(then[path] | now[other]), other))
        similarity, other = max(likely, default=(0.0, ""))
        if similarity >= _MIN_SIMILARITY:
            moved[path] = other
    return moved


def _list_link_changes(change: str, edges: Iterable[tuple[str, str, str]]) -> list[Change]:
    return [Change(change, kind, source, target) for source, kind, target in sorted(edges)]


def _read_snapshot(db: Tables, least: float) -> _GraphSnapshot:
    return _GraphSnapshot(frozenset(db.nodes.iter_kinds()), frozenset(db.links.iter_endpoints(least)))
