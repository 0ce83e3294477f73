"""What every way from the start to a place leads over.

After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Dominance:
    """The dominators of a graph, asked for in constant time."""

    def __init__(self, start: str, edges: Mapping[str, Sequence[str]]) -> None:
        order = _postorder(start, edges)
        self._number = {name: number for number, name in enumerate(order)}
        before: dict[str, list[str]] = {}
        for name in order:
            for target in edges.get(name, ()):
                before.setdefault(target, []).append(name)
        self._above = self._immediate(start, order, before)
        self._stretch = self._numbered(start, order)

    def always(self, over: str, place: str) -> bool:
        """Whether every way to `place` leads over `over`; never where one of them cannot be reached."""
        if over not in self._stretch or place not in self._stretch or over == place:
            return False
        first, last = self._stretch[over]
        return first < self._stretch[place][0] <= last

    def _immediate(self, start: str, order: Sequence[str], before: Mapping[str, Sequence[str]]) -> dict[str, str]:
        above = {start: start}
        changed = True
        while changed:
            changed = False
            for name in reversed(order[:-1]):
                known = [one for one in before[name] if one in above]
                nearest = known[0]
                for one in known[1:]:
                    nearest = self._common(nearest, one, above)
                changed |= above.get(name) != nearest
                above[name] = nearest
        return above

    def _common(self, one: str, other: str, above: Mapping[str, str]) -> str:
        while one != other:
            while self._number[one] < self._number[other]:
                one = above[one]
            while self._number[other] < self._number[one]:
                other = above[other]
        return one

    def _numbered(self, start: str, order: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Each place's number in a walk of the tree in depth, and the last number under it."""
        below: dict[str, list[str]] = {}
        for name in order:
            if name != start:
                below.setdefault(self._above[name], []).append(name)
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


def _postorder(start: str, edges: Mapping[str, Sequence[str]]) -> list[str]:
    order: list[str] = []
    seen = {start}
    todo = [(start, iter(edges.get(start, ())))]
    while todo:
        name, targets = todo[-1]
        target = next((one for one in targets if one not in seen), None)
        if target is None:
            order.append(name)
            todo.pop()
        else:
            seen.add(target)
            todo.append((target, iter(edges.get(target, ()))))
    return order
