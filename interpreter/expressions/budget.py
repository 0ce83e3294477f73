"""Budget of one evaluation: steps and characters, counted while it works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled

from .sizes import measure_size

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_STEPS = 1_000_000
"""Nodes of the syntax tree times elements of an evaluation; some 0.3 s. A rule of a workflow takes some hundreds."""
MAX_CHARACTERS = 10_000_000
"""Characters that an evaluation reads or writes in functions and comparisons of long texts."""
MAX_RESULT = 4_000_000
"""Size of a result that an expression puts together, in the units of `measure_size`."""

_STEPS_BETWEEN_CHECKS = 10_000


class BudgetError(Exception):
    """An evaluation that works on too much data; the message is complete."""


class Budget:
    """Counter of the work of one evaluation, or of several that belong together."""

    __slots__ = ("_characters", "_next_check", "_steps")

    def __init__(self) -> None:
        self._steps = 0
        self._characters = 0
        self._next_check = _STEPS_BETWEEN_CHECKS

    @property
    def work(self) -> int:
        """The work so far in steps; ten characters take as long as one."""
        return self._steps + self._characters // 10

    def charge(self, steps: int) -> None:
        """Count steps before they are done.

        Raises:
            BudgetError: there are too many.
            Cancelled: the call was cancelled.
        """
        self._steps += steps
        if self._steps >= self._next_check:
            check_cancelled()
            self._next_check = self._steps + _STEPS_BETWEEN_CHECKS
            if self._steps > MAX_STEPS:
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
