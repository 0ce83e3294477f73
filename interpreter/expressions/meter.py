"""Work on untrusted text: budget of one evaluation, size of a value, meter of many evaluations."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aurora.errors import check_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_STEPS = 1_000_000
"""Nodes that an evaluation visits, one for each element; some 0.5 s. A rule of a workflow takes some hundreds."""
MAX_CHARACTERS = 10_000_000
"""Characters that an evaluation reads or writes in functions and comparisons of long texts."""
MAX_RESULT = 4_000_000
"""Size of a result that an expression puts together, in the units of `measure_size`."""

_STEPS_BETWEEN_CHECKS = 10_000


class BudgetError(Exception):
    """An evaluation that works on too much data; the message is complete."""


class Budget:
    """Counter of the work of one evaluation, or of several that belong together.

    Attributes:
        steps: the nodes of syntax trees that were evaluated, and the items that functions looked at.
        next_check: the steps at which `charge` looks at the limit; the interpreter calls it only from there on.
    """

    __slots__ = ("_characters", "next_check", "steps")

    def __init__(self) -> None:
        self.steps = 0
        self._characters = 0
        self.next_check = _STEPS_BETWEEN_CHECKS

    @property
    def work(self) -> int:
        """The work so far in steps; ten characters take as long as one."""
        return self.steps + self._characters // 10

    def charge(self, steps: int) -> None:
        """Count steps before they are done.

        Raises:
            BudgetError: there are too many.
            Cancelled: the call was cancelled.
        """
        self.steps += steps
        if self.steps >= self.next_check:
            # An evaluation is one call without a pause: a cancelled one would else run to its end.
            check_cancelled()
            self.next_check = self.steps + _STEPS_BETWEEN_CHECKS
            if self.steps > MAX_STEPS:
                raise BudgetError(f"it takes more than {MAX_STEPS:,} steps; select less before you combine")

    def charge_characters(self, characters: int) -> None:
        """Count characters before they are read or written.

        Raises:
            BudgetError: there are too many.
            Cancelled: the call was cancelled.
        """
        self._characters += characters
        if self._characters > MAX_CHARACTERS:
            raise BudgetError(f"it works on more than {MAX_CHARACTERS:,} characters; select less before you combine")
        self.charge(1)

    def charge_values(self, values: Iterable[Any]) -> int:
        """Count the size of values, with all that is inside them, and return it.

        Raises:
            BudgetError: they are too large, or nested too deeply.
            Cancelled: the call was cancelled.
        """
        size = measure_size(values, MAX_CHARACTERS - self._characters)
        self.charge_characters(size)
        return size

    def check_result(self, value: Any) -> None:
        """Check the size of a result whose parts the expression put together.

        Raises:
            BudgetError: it is too large, or nested too deeply.
        """
        if isinstance(value, list | dict) and measure_size((value,), MAX_RESULT) > MAX_RESULT:
            raise BudgetError(f"its result has more than {MAX_RESULT:,} characters, or is nested too deeply")


MAX_DEPTH = 100
"""Levels of a value; a deeper one counts as too large, because libraries walk it recursively."""
NODE_SIZE = 20
"""Size of a node without its characters: to visit one takes libraries as long as to copy some 20 characters."""
_BITS_PER_DIGIT = 3


def measure_size(values: Iterable[Any], limit: int) -> int:
    """Measure values: their characters, and `NODE_SIZE` for each node.

    A part that occurs twice counts twice. The count ends soon after `limit`, also for a small value whose parts refer
    to the same ones many times. A value deeper than `MAX_DEPTH`, or of a type that JSON does not have, counts as more
    than `limit`.
    """
    total = 0
    level = list(values)
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        total += NODE_SIZE * len(level)
        for value in level:
            if isinstance(value, str):
                total += len(value)
            elif isinstance(value, dict):
                total += sum(map(len, map(str, value)))
                inner += value.values()
            elif isinstance(value, list | tuple):
                inner += value
            else:
                total += _measure_scalar(value, limit)
            if total + len(inner) > limit:
                return limit + 1
        if not inner:
            return total
        level = inner
    return limit + 1


def _measure_scalar(value: Any, limit: int) -> int:
    if isinstance(value, int):
        return value.bit_length() // _BITS_PER_DIGIT
    return 0 if value is None or isinstance(value, float) else limit + 1


class WorkLimitError(BaseException):
    """Raised by work beyond the limit around it.

    Not an Exception, so that no step of a run takes it for its own failure.
    """


class WorkMeter:
    """Counter of work up to a limit, which counts for the meter around it, too.

    One unit is a step of an evaluation, some 0.3 µs. Units are counted from sizes, never from the clock.

    Args:
        limit: the units.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._outer: WorkMeter | None = None

    @property
    def is_used_up(self) -> bool:
        """True when this limit, or one around it, is reached."""
        return self._left <= 0 or (self._outer is not None and self._outer.is_used_up)

    def charge(self, units: int) -> None:
        """Count units.

        Raises:
            WorkLimitError: there are too many.
        """
        self._left -= units
        if self._outer is not None:
            self._outer.charge(units)
        if self._left <= 0:
            raise WorkLimitError

    def grant(self, units: int) -> None:
        """Allow more units from now on."""
        self._left = max(self._left, 0) + units

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Count the work of the block; what is beyond the limit raises `WorkLimitError`."""
        self._outer = _current_meter.get()
        token = _current_meter.set(self)
        try:
            yield
        finally:
            _current_meter.reset(token)


_current_meter: ContextVar[WorkMeter | None] = ContextVar("aurora_work_meter", default=None)


def charge_work(units: int) -> None:
    """Count units of work, where a meter is active.

    Raises:
        WorkLimitError: there are too many.
    """
    meter = _current_meter.get()
    if meter is not None:
        meter.charge(units)


def is_metering() -> bool:
    """Return whether a meter is active."""
    return _current_meter.get() is not None


@contextmanager
def stop_metering() -> Iterator[None]:
    """Run the block without a meter, because its work has limits of its own."""
    token = _current_meter.set(None)
    try:
        yield
    finally:
        _current_meter.reset(token)
