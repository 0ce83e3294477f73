"""Dominators: the phases that every path from the start to a phase contains.

After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.language import list_postorder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class DominatorTree:
    """The dominator tree of a graph, with queries in constant time."""

    def __init__(self, start: str, edges: Mapping[str, Sequence[str]]) -> None:
        order = list_postorder(start, edges, set())
        self._postorder_numbers = {name: number for number, name in enumerate(order)}
        before: dict[str, list[str]] = {}
        for name in order:
            for target in edges.get(name, ()):
                before.setdefault(target, []).append(name)
        self._immediate_dominators = self._find_immediate_dominators(start, order, before)
        self._tree_intervals = self._number_tree(start, order)

    def is_dominator(self, over: str, place: str) -> bool:
        """Return whether every path to `place` contains `over`; false if either is unreachable."""
        if over not in self._tree_intervals or place not in self._tree_intervals or over == place:
            return False
        first, last = self._tree_intervals[over]
        return first < self._tree_intervals[place][0] <= last

    def _find_immediate_dominators(
        self, start: str, order: Sequence[str], before: Mapping[str, Sequence[str]]
    ) -> dict[str, str]:
        above = {start: start}
        changed = True
        while changed:
            changed = False
            for name in reversed(order[:-1]):
                known = [one for one in before[name] if one in above]
                nearest = known[0]
                for one in known[1:]:
                    nearest = self._find_common_dominator(nearest, one, above)
                changed |= above.get(name) != nearest
                above[name] = nearest
        return above

    def _find_common_dominator(self, one: str, other: str, above: Mapping[str, str]) -> str:
        while one != other:
            while self._postorder_numbers[one] < self._postorder_numbers[other]:
                one = above[one]
            while self._postorder_numbers[other] < self._postorder_numbers[one]:
                other = above[other]
        return one

    def _number_tree(self, start: str, order: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the preorder number of each node and the last number in its subtree."""
        below: dict[str, list[str]] = {}
        for name in order:
            if name != start:
                below.setdefault(self._immediate_dominators[name], []).append(name)
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        todo: list[tuple[str, bool]] = [(start, False)]
        while todo:
            name, left = todo.pop()
            if left:
                last[name] = len(first) - 1
                continue
            first[name] = len(first)
            todo.append((name, True))
            todo.extend((one, False) for one in below.get(name, ()))
        return {name: (first[name], last[name]) for name in first}
