"""Two graphs side by side: which definitions and which links one has and the other has not."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.memory.storage import Store, Tables

_MIN_SIMILARITY, _MIN_SHARED_NAMES = 0.6, 3
"""What two files must share of all that they define to be one file that moved; and how many names, where the file's
own is another too: many files define nothing but `main`."""


@dataclass(frozen=True, slots=True)
class Change:
    """A definition, or a link when it has a `target`, that was added or removed; a file that `moved` to its target."""

    change: str
    kind: str
    id: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class _GraphSnapshot:
    """All definitions and links by their ids, which mean the same in every database."""

    nodes: frozenset[tuple[str, str]]
    edges: frozenset[tuple[str, str, str]]

    def list_files(self) -> dict[str, frozenset[str]]:
        """What each file defines."""
        out: dict[str, set[str]] = defaultdict(set)
        for id_, _kind in self.nodes:
            path, _, symbol = id_.partition("::")
            out[path].add(symbol)
        return {path: frozenset(symbols - {""}) for path, symbols in out.items()}

    def rename_files(self, moved: Mapping[str, str]) -> _GraphSnapshot:
        """The same with files where they are now."""

        def rename_id(id_: str) -> str:
            path, mark, symbol = id_.partition("::")
            return f"{moved.get(path, path)}{mark}{symbol}"

        return _GraphSnapshot(
            frozenset((rename_id(id_), kind) for id_, kind in self.nodes),
            frozenset((rename_id(source), kind, rename_id(target)) for source, kind, target in self.edges),
        )


def compare_graphs(new: Store, old: Store, least: float) -> list[Change]:
    """What leads from the old graph to the new one: files that moved, definitions, links, in the order of their ids.

    What a moved file holds is compared with what it held.

    Args:
        new: the graph as it is.
        old: as it was.
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
    """Files that bear another name now, by what they define: most of it is the same."""
    holders: dict[str, list[str]] = defaultdict(list)
    for path in sorted(now.keys() - then.keys()):
        for symbol in now[path]:
            holders[symbol].append(path)
    out: dict[str, str] = {}
    for path in sorted(then.keys() - now.keys()):
        shared = Counter(place for symbol in then[path] for place in holders.get(symbol, ()))
        likely = [
            (count / len(then[path] | now[place]), place)
            for place, count in shared.items()
            if place not in out.values()
            and (count >= _MIN_SHARED_NAMES or place.rpartition("/")[2] == path.rpartition("/")[2])
        ]
        share, place = max(likely, default=(0.0, ""))
        if share >= _MIN_SIMILARITY:
            out[path] = place
    return out


def _list_link_changes(change: str, edges: Iterable[tuple[str, str, str]]) -> list[Change]:
    return [Change(change, kind, source, target) for source, kind, target in sorted(edges)]


def _read_snapshot(db: Tables, least: float) -> _GraphSnapshot:
    return _GraphSnapshot(frozenset(db.nodes.iter_kinds()), frozenset(db.links.iter_endpoints(least)))
