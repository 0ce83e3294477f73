"""Work of a plain template over actual data, computed from its plan before it is rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.meter import NODE_SIZE, measure_size

from .plan import ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .plan import Plan
    from .reader import Path


def is_work_within(plan: Plan, scope: Mapping[str, Any], limit: int) -> bool:
    """Check that the work of a plain template is at most `limit`, in the units of `measure_size`.

    The check itself takes at most some `limit` steps for each charge, and few on ordinary data.
    """
    meter = _Meter(plan, scope, limit)
    rest = limit
    for charge in plan.charges:
        times = charge.weight
        for loop in charge.loops:
            times *= meter.count_items(loop)
        if times:
            rest -= times * meter.measure(charge.path, rest // times, is_shallow=charge.is_shallow)
        if rest < meter.steps:
            return False
    return True


class _Meter:
    """Sizes of the values of one scope, each measured once.

    Attributes:
        steps: the number of items that were looked at to find the values.
    """

    def __init__(self, plan: Plan, scope: Mapping[str, Any], limit: int) -> None:
        self._plan = plan
        self._limit = limit
        self._sizes: dict[tuple[Path, bool], int] = {}
        self._counts: dict[int, int] = {}
        self._values: dict[Path, list[Any] | None] = {(): [scope]}
        self.steps = 0

    def measure(self, path: Path, limit: int, *, is_shallow: bool = False) -> int:
        """Measure the values at a path; more than `limit` is only known to be more."""
        size = self._sizes.get((path, is_shallow))
        if size is None:
            values = self._find_values(path)
            if values is None:
                size = limit + 1
            elif is_shallow:
                size = NODE_SIZE * len(values) + sum(map(_measure_parts, values))
            else:
                size = measure_size(values, limit)
            self._sizes[path, is_shallow] = size
        return size

    def count_items(self, loop: int) -> int:
        """Count the iterations of a loop, those of the loops around it in its chain included."""
        if loop not in self._counts:
            self._counts[loop] = self._count_items(loop)
        return self._counts[loop]

    def _count_items(self, index: int) -> int:
        loop = self._plan.loops[index]
        if not loop.is_direct:
            return loop.growth * sum(self.measure(path, self._limit) for path in loop.sources) + loop.literals
        values = self._find_values(loop.sources[0])
        return self._limit + 1 if values is None else sum(map(_count_parts, values))

    def _find_values(self, path: Path) -> list[Any] | None:
        """Find the values at a path; None when there are too many. A name that is not there has none."""
        if path not in self._values:
            around = self._find_values(path[:-1])
            self._values[path] = None if around is None else self._find_inside(around, path[-1])
        return self._values[path]

    def _find_inside(self, values: list[Any], name: str) -> list[Any] | None:
        self.steps += NODE_SIZE * len(values)
        if name != ITEMS:
            return [value[name] for value in values if isinstance(value, dict) and name in value]
        if sum(map(_count_parts, values)) > self._limit:
            return None
        return [item for value in values for item in _list_items(value)]


def _measure_parts(value: Any) -> int:
    """Measure a value with its items, not what is inside them; a loop copies texts among its items."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        items: list[Any] = [*value, *value.values()]
    elif isinstance(value, list | tuple):
        items = list(value)
    else:
        return 0
    return NODE_SIZE * len(items) + sum(len(item) for item in items if isinstance(item, str))


def _count_parts(value: Any) -> int:
    """Count the items that a loop sees: items of a list, keys of an object, characters of a text."""
    return len(value) if isinstance(value, list | tuple | dict | str) else 1


def _list_items(value: Any) -> Any:
    """Return the items that a loop sees; a text stays whole, because its size is the same."""
    return value if isinstance(value, list | tuple | dict) else (value,)
