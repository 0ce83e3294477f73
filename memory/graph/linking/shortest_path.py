"""The shortest way between two nodes: from both ends at once, a whole front at a step."""

from __future__ import annotations

from typing import Any

import numpy as np

_UNSEEN = -1


def find_shortest_path(starts: Any, others: Any, here: int, there: int) -> list[int] | None:
    """The positions on a shortest way, both ends included; None when none leads there.

    Args:
        starts: for each position, where its neighbours begin in `others`; one more at the end.
        others: the neighbours of all positions, one after the other.
        here: one end.
        there: the other.
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
    """What was reached from one end: the front, and for each position the one it was reached from."""

    def __init__(self, size: int, origin: int) -> None:
        self.before = np.full(size, _UNSEEN, np.int32)
        self.before[origin] = origin
        self.front = np.array([origin], np.int64)

    def count_neighbors(self, starts: Any) -> int:
        """How many neighbours the next step looks at."""
        return int((starts[self.front + 1] - starts[self.front]).sum())

    def expand_front(self, starts: Any, others: Any) -> None:
        """One step in all directions."""
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
        """The way from a position to the end that this side began at."""
        way = [at]
        while int(self.before[at]) != at:
            at = int(self.before[at])
            way.append(at)
        return way
