"""Shortest path between two nodes: bidirectional breadth-first search over arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

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
