"""Path counting: the number of runs and the longest one, without enumerating them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.interpreter.language import list_postorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

MAX_STATES = 100_000
"""The most states (a phase, and the uses of each bound around it) that are examined."""


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """An edge of a phase; after `most` uses of it, it leads to `instead`."""

    target: str | None
    most: int | None = None
    instead: str | None = None
    fails: bool = False


State = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class PathMetrics:
    """Metrics of all paths from `start`; a phase's weight counts at each visit."""

    start: str
    ways: Mapping[str, Sequence[WalkEdge]]
    _components: dict[str, int] = field(init=False)
    _bound_slots: dict[tuple[str, int], int] = field(init=False)
    _slot_counts: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self._components = _find_components(self.ways)
        counted: dict[int, int] = {}
        self._bound_slots = {}
        for name, ways in self.ways.items():
            for index, edge in enumerate(ways):
                component = self._components[name]
                if edge.most is not None and edge.target is not None and self._components.get(edge.target) == component:
                    self._bound_slots[name, index] = counted.setdefault(component, 0)
                    counted[component] += 1
        self._slot_counts = counted

    def measure_longest(self, weight: Callable[[str], int]) -> int | None:
        """Return the greatest sum of weights on a path.

        None when there is no bound, or when there are more than `MAX_STATES` states.
        """
        return self._fold_states(lambda name, after: weight(name) + max(after, default=0), fails=True)

    def count_walks(self) -> int | None:
        """Count the paths without failures; None as for `measure_longest`."""
        return self._fold_states(lambda _, after: sum(after), fails=False)

    def _fold_states(self, fold: Callable[[str, Iterable[int]], int], *, fails: bool) -> int | None:
        end = 1 if not fails else 0
        done: dict[State, int] = {}
        doing: set[State] = set()
        first = self._enter_component(self.start)
        todo = [first]
        while todo:
            state = todo[-1]
            after = self._list_next_states(state, fails=fails)
            missing = [one for one in after if one is not None and one not in done]
            if not missing or state in done:
                done.setdefault(state, fold(state[0], [end if one is None else done[one] for one in after]))
                doing.discard(todo.pop())
                continue
            if state in doing or len(done) + len(doing) > MAX_STATES:
                return None
            doing.add(state)
            if any(one in doing for one in missing):
                return None
            todo.extend(dict.fromkeys(missing))
        return done[first]

    def _enter_component(self, name: str) -> State:
        """Return the state on entering a component, with all of its bounds unused.

        A path that has left a component never comes back to it.
        """
        return name, (0,) * self._slot_counts.get(self._components[name], 0)

    def _list_next_states(self, state: State, *, fails: bool) -> list[State | None]:
        name, taken = state
        after: list[State | None] = []
        for index, edge in enumerate(self.ways[name]):
            if edge.fails and not fails:
                continue
            at = self._bound_slots.get((name, index))
            spent = at is not None and edge.most is not None and taken[at] >= edge.most
            target = edge.instead if spent else edge.target
            if target is None:
                after.append(None)
            elif self._components[target] != self._components[name]:
                after.append(self._enter_component(target))
            elif at is None or spent:
                after.append((target, taken))
            else:
                after.append((target, (*taken[:at], taken[at] + 1, *taken[at + 1 :])))
        return after


def _find_components(ways: Mapping[str, Sequence[WalkEdge]]) -> dict[str, int]:
    """Find the strongly connected components and number them (Kosaraju's algorithm)."""
    forward = {name: _list_targets(edges) for name, edges in ways.items()}
    back = _reverse_edges(forward)
    order: list[str] = []
    seen: set[str] = set()
    for name in ways:
        order.extend(list_postorder(name, forward, seen))
    components: dict[str, int] = {}
    seen = set()
    for number, name in enumerate(reversed(order)):
        for member in list_postorder(name, back, seen):
            components[member] = number
    return components


def _list_targets(edges: Iterable[WalkEdge]) -> list[str]:
    """List the phases that the edges lead to, with repetitions."""
    targets: list[str] = []
    for edge in edges:
        targets += [target for target in (edge.target, edge.instead) if target is not None]
    return targets


def _reverse_edges(forward: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    back: dict[str, list[str]] = {name: [] for name in forward}
    for name, targets in forward.items():
        for target in targets:
            back[target].append(name)
    return back
