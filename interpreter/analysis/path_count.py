"""Path counting: the number of walks and the longest one, state by state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .walk_graph import find_components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .longest_walk import WalkWeights
    from .walk_graph import WalkEdge

MAX_STATES = 20_000
"""The most states (a phase, and the uses of each bound around it) that are examined, some 5 µs each."""

MAX_BITS = 64
"""The most binary digits of the uses of all bounds of a component; with more, its states are not examined."""

State = tuple[str, int]
"""A phase, and the uses of each bounded edge of its component, as the digits of a number."""


@dataclass(slots=True)
class PathMetrics:
    """Metrics of all paths from `start`; a phase's weight counts at each visit."""

    start: str
    ways: Mapping[str, Sequence[WalkEdge]]
    _components: dict[str, int] = field(init=False)
    _digits: dict[tuple[str, int], tuple[int, int]] = field(init=False)
    _has_many_limits: bool = field(init=False)

    def __post_init__(self) -> None:
        self._components = find_components(self.ways)
        self._digits = {}
        used_bits: dict[int, int] = {}
        for name, ways in self.ways.items():
            component = self._components[name]
            for index, edge in enumerate(ways):
                if edge.most is not None and edge.target is not None and self._components.get(edge.target) == component:
                    shift, width = used_bits.get(component, 0), edge.most.bit_length()
                    self._digits[name, index] = (shift, (1 << width) - 1)
                    used_bits[component] = shift + width
        self._has_many_limits = max(used_bits.values(), default=0) > MAX_BITS

    def measure_longest(self, weights: WalkWeights) -> int | None:
        """Return the greatest sum of weights on a path.

        None when there is no bound, or when there are more than `MAX_STATES` states.
        """
        return self._fold_states(
            lambda name, after: weights.visit(name) + max(after, default=weights.end(name)), weights.end, fails=True
        )

    def count_walks(self) -> int | None:
        """Count the paths without failures; None as for `measure_longest`."""
        return self._fold_states(lambda _, after: sum(after), lambda _: 1, fails=False)

    def _fold_states(
        self, fold: Callable[[str, Iterable[int]], int], end: Callable[[str], int], *, fails: bool
    ) -> int | None:
        if self._has_many_limits:
            return None
        done: dict[State, int] = {}
        doing: set[State] = set()
        first = (self.start, 0)
        todo = [first]
        while todo:
            state = todo[-1]
            after = self._list_next_states(state, fails=fails)
            missing = [one for one in after if one is not None and one not in done]
            if not missing or state in done:
                done.setdefault(state, fold(state[0], [end(state[0]) if one is None else done[one] for one in after]))
                doing.discard(todo.pop())
                continue
            if state in doing or len(done) + len(doing) > MAX_STATES:
                return None
            doing.add(state)
            if any(one in doing for one in missing):
                return None
            todo.extend(dict.fromkeys(missing))
        return done[first]

    def _list_next_states(self, state: State, *, fails: bool) -> list[State | None]:
        """List the states after one; a path that leaves a component never comes back to it."""
        name, taken = state
        after: list[State | None] = []
        for index, edge in enumerate(self.ways[name]):
            if edge.fails and not fails:
                continue
            shift, mask = self._digits.get((name, index), (0, 0))
            spent = bool(mask) and edge.most is not None and (taken >> shift) & mask >= edge.most
            target = edge.instead if spent else edge.target
            if target is None:
                after.append(None)
            elif self._components[target] != self._components[name]:
                after.append((target, 0))
            else:
                after.append((target, taken if spent or not mask else taken + (1 << shift)))
        return after
