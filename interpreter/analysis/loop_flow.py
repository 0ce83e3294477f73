"""The longest walk through a component of loops, as a flow of greatest gain.

A walk that takes each bounded edge at most `most` times is a flow of one unit through a network in which the other
edges have no limit. The greatest flow is found by potentials and shortest augmenting paths; it bounds every walk from
above. It is the length of a real walk when its edges can be put in an order that keeps the rules: see `is_walkable`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from aurora.interpreter.language import find_reachable, list_postorder

if TYPE_CHECKING:
    from collections.abc import Iterable

EXIT = ""
"""The node outside of the component."""


@dataclass(slots=True, eq=False)
class Arc:
    """An arc of the network.

    Attributes:
        source, target: phases, or `EXIT`.
        gain: the weight of the target; for an exit, that of the rest of the walk.
        most: the limit of its uses; None without one.
        after: the arc that must be used up before this one is taken; None for no such arc.
        is_exact: False when the gain is only a bound.
        loss: how much less than the best way on this arc yields; negative when it yields more.
        flow: the number of uses.
    """

    source: str
    target: str
    gain: int
    most: int | None = None
    after: Arc | None = None
    is_exact: bool = True
    loss: int = 0
    flow: int = 0


@dataclass(slots=True)
class SearchBudget:
    """The number of nodes that searches may still visit."""

    left: int


@dataclass(slots=True)
class LoopNetwork:
    """The network of one component.

    Attributes:
        arcs: all arcs between its phases, and to `EXIT`.
        order: its phases, each after those that its unlimited arcs lead to.
        best: by node, the greatest gain of a walk to the exit along unlimited arcs.
    """

    arcs: list[Arc]
    order: list[str] = field(init=False)
    best: dict[str, int] = field(init=False)
    _out: dict[str, list[Arc]] = field(init=False)
    _into: dict[str, list[Arc]] = field(init=False)

    def __post_init__(self) -> None:
        self._out, self._into = {}, {}
        for arc in self.arcs:
            self._out.setdefault(arc.source, []).append(arc)
            self._into.setdefault(arc.target, []).append(arc)
        self._order_nodes()

    def _order_nodes(self) -> None:
        inner: dict[str, list[str]] = {name: [] for name in self._out}
        for arc in self.arcs:
            if arc.most is None and arc.target != EXIT:
                inner[arc.source].append(arc.target)
        seen: set[str] = set()
        self.order = [name for start in self._out for name in list_postorder(start, inner, seen)]
        self.best = {EXIT: 0}
        for name in self.order:
            ways = [arc for arc in self._out[name] if arc.most is None and arc.target in self.best]
            self.best[name] = max((arc.gain + self.best[arc.target] for arc in ways), default=0)
        for arc in self.arcs:
            arc.loss = self.best[arc.source] - arc.gain - self.best[arc.target]

    def has_unbounded_cycle(self) -> bool:
        """Return whether a walk can go around without end."""
        at = {name: number for number, name in enumerate(self.order)}
        return any(arc.most is None and arc.target != EXIT and at[arc.target] >= at[arc.source] for arc in self.arcs)

    def bound_gain(self, start: str) -> int:
        """Bound the gain of a walk from this phase: each gainful bounded arc in full, then the best way on."""
        return self.best[start] + sum(-arc.loss * (arc.most or 0) for arc in self.arcs if arc.loss < 0)

    def measure_gain(self, start: str, budget: SearchBudget) -> tuple[int, bool]:
        """Measure the greatest gain of a walk from this phase; False for one that is only a bound."""
        if not self._fill_greedily(start) and not self._balance(self._saturate(start), budget):
            return self.bound_gain(start), False
        gain = sum(arc.flow * arc.gain for arc in self.arcs)
        return gain, self.is_walkable()

    def is_walkable(self) -> bool:
        """Return whether some walk takes each arc as often as the flow does.

        By the theorem of de Bruijn, van Aardenne-Ehrenfest, Smith and Tutte the exits of a phase may come in any
        order if the last exits of all phases form a tree to the end. Those of a used-up arc must come first.
        """
        used = [arc for arc in self.arcs if arc.flow]
        if any(_is_doubtful(arc) for arc in used):
            return False
        early = {id(arc.after) for arc in used if arc.after}
        back: dict[str, list[str]] = {}
        for arc in used:
            if id(arc) not in early:
                back.setdefault(arc.target, []).append(arc.source)
        return {arc.source for arc in used} <= find_reachable([EXIT], back)

    def _fill_greedily(self, start: str) -> bool:
        """Use each bounded arc that costs nothing in full; send the rest the best way."""
        excess = self._saturate(start, most_loss=0)
        for name in reversed(self.order):
            left = excess.get(name, 0)
            if left < 0:
                return False
            ways = [arc for arc in self._out[name] if arc.most is None and not arc.loss]
            if left and ways:
                arc = min(ways, key=_is_doubtful)
                arc.flow = left
                excess[arc.target] = excess.get(arc.target, 0) + left
        return True

    def _saturate(self, start: str, most_loss: int = -1) -> dict[str, int]:
        """Use in full the bounded arcs that lose at most so much; return what is left over at each node."""
        excess = {start: 1, EXIT: -1}
        for arc in self.arcs:
            arc.flow = 0
            if arc.most is not None and arc.loss <= most_loss:
                arc.flow = arc.most
                excess[arc.source] = excess.get(arc.source, 0) - arc.most
                excess[arc.target] = excess.get(arc.target, 0) + arc.most
        return excess

    def _balance(self, excess: dict[str, int], budget: SearchBudget) -> bool:
        """Send every excess the cheapest way to where it is missing; False when the budget is used up."""
        potential: dict[str, int] = {}
        sources = [name for name, amount in excess.items() if amount > 0]
        while sources:
            name = sources[-1]
            if excess[name] <= 0:
                sources.pop()
                continue
            found = self._find_cheapest(name, excess, potential, budget)
            if found is None:
                return False
            _augment(name, found, excess)
        return True

    def _find_cheapest(
        self, start: str, excess: dict[str, int], potential: dict[str, int], budget: SearchBudget
    ) -> list[tuple[Arc, bool]] | None:
        """Find the cheapest path to a node where flow is missing (Dijkstra's algorithm)."""
        cost = {start: 0}
        came: dict[str, tuple[Arc, bool]] = {}
        done: dict[str, int] = {}
        todo = [(0, start)]
        while todo and budget.left > 0:
            spent, name = heappop(todo)
            if name in done:
                continue
            budget.left -= 1
            if excess.get(name, 0) < 0:
                for other, before in done.items():
                    potential[other] = potential.get(other, 0) + before - spent
                return _trace_back(name, start, came)
            done[name] = spent
            for target, price, arc, forward in self._list_residual(name):
                total = spent + price + potential.get(name, 0) - potential.get(target, 0)
                if target not in done and total < cost.get(target, total + 1):
                    cost[target], came[target] = total, (arc, forward)
                    heappush(todo, (total, target))
        return None

    def _list_residual(self, name: str) -> Iterable[tuple[str, int, Arc, bool]]:
        """Yield the arcs along which more, or less, can flow: target, price, arc, direction."""
        for arc in self._out.get(name, ()):
            if arc.most is None or arc.flow < arc.most:
                yield arc.target, arc.loss, arc, True
        for arc in self._into.get(name, ()):
            if arc.flow:
                yield arc.source, -arc.loss, arc, False


def _is_doubtful(arc: Arc) -> bool:
    """Return whether the flow along this arc may be that of no walk."""
    return not arc.is_exact or (arc.after is not None and arc.after.flow != arc.after.most)


def _trace_back(name: str, start: str, came: dict[str, tuple[Arc, bool]]) -> list[tuple[Arc, bool]]:
    path = []
    while name != start:
        arc, forward = came[name]
        path.append((arc, forward))
        name = arc.source if forward else arc.target
    return path


def _augment(start: str, path: list[tuple[Arc, bool]], excess: dict[str, int]) -> None:
    """Send as much as possible along the path, which is in reverse order."""
    last, forward = path[0]
    end = last.target if forward else last.source
    amount = min(excess[start], -excess[end])
    for arc, forward in path:
        if not forward:
            amount = min(amount, arc.flow)
        elif arc.most is not None:
            amount = min(amount, arc.most - arc.flow)
    for arc, forward in path:
        arc.flow += amount if forward else -amount
    excess[start] -= amount
    excess[end] += amount
