"""Adjacency arrays of the whole graph (CSR), so that a path of any length needs no database queries."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from aurora.memory.model.graph import EDGE_KINDS

if TYPE_CHECKING:
    from aurora.memory.model.graph import LinkFilter
    from aurora.memory.storage.store import Tables

_HEADER = struct.Struct("<qq")

_CONFIDENCE_STEPS = 200
"""Confidence is stored in steps of 1/200."""


def read_generation(db: Tables) -> int:
    """Read the number that grows whenever the graph changes."""
    return int(db.meta.get("graph_generation") or 0)


def pack_graph(db: Tables) -> bytes:
    """Pack the arrays of the graph into one blob.

    Its parts are node numbers, starts of their neighbors, neighbors, kinds, confidences.
    """
    numbers = np.fromiter(db.nodes.iter_numbers(), np.int64)
    link = np.dtype([("source", "i8"), ("target", "i8"), ("kind", "u1"), ("sure", "f4")])
    rows = np.fromiter(db.links.iter_with_nesting(), link)
    source, target = (np.searchsorted(numbers, rows[end]).astype(np.int32) for end in ("source", "target"))
    first, second = np.concatenate([source, target]), np.concatenate([target, source])
    order = np.argsort(first, kind="stable")
    starts = np.searchsorted(first[order], np.arange(len(numbers) + 1)).astype(np.int64)
    kinds = np.tile(rows["kind"], 2)[order]
    sure = np.tile(np.rint(rows["sure"] * _CONFIDENCE_STEPS).astype(np.uint8), 2)[order]
    parts = (numbers, starts, second[order], kinds, sure)
    return _HEADER.pack(len(numbers), len(order)) + b"".join(part.tobytes() for part in parts)


def store_packed(db: Tables) -> None:
    """Store the blob for the current generation, inside the open write transaction."""
    db.links.save_packed(read_generation(db), pack_graph(db))


class Adjacency:
    """The adjacency arrays, unpacked from a blob."""

    def __init__(self, body: bytes) -> None:

        nodes, edges = _HEADER.unpack_from(body)
        at = _HEADER.size
        self.numbers = np.frombuffer(body, np.int64, nodes, at)
        self.starts = np.frombuffer(body, np.int64, nodes + 1, at := at + 8 * nodes)
        self.others = np.frombuffer(body, np.int32, edges, at := at + 8 * (nodes + 1))
        self.kinds = np.frombuffer(body, np.uint8, edges, at := at + 4 * edges)
        self.confidences = np.frombuffer(body, np.uint8, edges, at + edges)

    def filter_links(self, wanted: LinkFilter) -> tuple[Any, Any]:
        """Return the starts and the neighbors of the links that the filter accepts."""
        least = round(wanted.least * _CONFIDENCE_STEPS)
        if not wanted.kinds and least <= 1:
            return self.starts, self.others
        fits = np.zeros(len(EDGE_KINDS), bool)
        fits[[EDGE_KINDS.index(kind) for kind in wanted.kinds or EDGE_KINDS]] = True
        mask = fits[self.kinds] & (self.confidences >= least)
        before = np.concatenate([[0], np.cumsum(mask)])
        return before[self.starts], self.others[mask]

    def find_position(self, n: int) -> int | None:
        """Return the position of a node's number; None for an unknown one."""
        at = int(np.searchsorted(self.numbers, n))
        return at if at < len(self.numbers) and self.numbers[at] == n else None


class PathFinder:
    """A finder of paths; it loads the arrays once, and again when the graph has changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[tuple[int, int], Adjacency] | None = None
        self._filtered: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def find_path(self, db: Tables, epoch: int, start: int, end: int, wanted: LinkFilter) -> list[int] | None:
        """Return the numbers of the nodes on the shortest path, both ends included; None without a path."""
        arrays, (starts, others) = self._load_adjacency(db, epoch, wanted)
        here, there = arrays.find_position(start), arrays.find_position(end)
        if here is None or there is None:
            return None
        way = find_shortest_path(starts, others, here, there)
        return [int(arrays.numbers[at]) for at in way] if way is not None else None

    def _load_adjacency(self, db: Tables, epoch: int, wanted: LinkFilter) -> tuple[Adjacency, tuple[Any, Any]]:
        now = (epoch, read_generation(db))
        key = (tuple(wanted.kinds), wanted.least)
        with self._lock:
            if self._loaded is None or self._loaded[0] != now:
                # Only a large indexing stores the arrays; after a small change there are none of this generation.
                self._loaded = (now, Adjacency(db.links.load_packed(now[1]) or pack_graph(db)))
                self._filtered = {}
            arrays = self._loaded[1]
            if key not in self._filtered:
                others = list(self._filtered.items())[-1:]  # a search with and without nesting, in turn
                self._filtered = {**dict(others), key: arrays.filter_links(wanted)}
            return arrays, self._filtered[key]


_UNSEEN = -1


def find_shortest_path(starts: Any, others: Any, here: int, there: int) -> list[int] | None:
    """Find the positions on a shortest path, both ends included; None without a path.

    Args:
        starts: for each position, the start of its neighbors in `others`; one more at the end.
        others: the neighbors of all positions, concatenated.
        here: the position of one end.
        there: the position of the other end.
    """
    if here == there:
        return [here]
    size = len(starts) - 1
    # From both ends, and always from the one that is cheaper to go on with: from one end alone a few steps reach most
    # of a large graph.
    sides = [_SearchFront(size, here), _SearchFront(size, there)]
    while len(sides[0].front) and len(sides[1].front):
        ours, theirs = sides if sides[0].count_neighbors(starts) <= sides[1].count_neighbors(starts) else sides[::-1]
        ours.expand_front(starts, others)
        met = ours.front[theirs.before[ours.front] != _UNSEEN]
        if len(met):
            middle = int(met[0])
            return sides[0].trace_back(middle)[::-1] + sides[1].trace_back(middle)[1:]
    return None


class _SearchFront:
    """The search from one end: its front, and the predecessor of each position."""

    def __init__(self, size: int, origin: int) -> None:
        self.before = np.full(size, _UNSEEN, np.int32)
        self.before[origin] = origin
        self.front = np.array([origin], np.int64)

    def count_neighbors(self, starts: Any) -> int:
        """Count the neighbors that the next step visits."""
        return int((starts[self.front + 1] - starts[self.front]).sum())

    def expand_front(self, starts: Any, others: Any) -> None:
        """Advance the front by one step."""
        first, counts = starts[self.front], starts[self.front + 1] - starts[self.front]
        total = int(counts.sum())
        shift = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        reached = others[np.arange(total) + shift]
        origin = np.repeat(self.front, counts)
        new = self.before[reached] == _UNSEEN
        reached, origin = reached[new], origin[new]
        self.before[reached] = origin
        self.front = np.unique(reached).astype(np.int64)

    def trace_back(self, at: int) -> list[int]:
        """Trace the path from a position back to the origin of this side."""
        path = [at]
        while int(self.before[at]) != at:
            at = int(self.before[at])
            path.append(at)
        return path
