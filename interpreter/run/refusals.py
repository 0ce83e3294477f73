"""Bound on refused answers: a host that cannot answer a prompt does not try for ever."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from .journal import Run

MAX_REFUSALS = 10
"""Wrong answers to one prompt; with the last one the phase fails."""
_MAX_RUNS = 1000


class RefusalCounter:
    """Counter of the refused answers of each run, in this process."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def is_last(self, run: Run, fault: Fault) -> bool:
        """Count a refused answer; return True for the one with which the phase fails."""
        if not run.run or "answer" not in fault.details.get("arguments", ()):
            return False
        before, count = self._counts.pop(run.run, (0, 0))
        count = count + 1 if before == len(run.steps) else 1
        self._counts[run.run] = (len(run.steps), count)
        if len(self._counts) > _MAX_RUNS:
            self._counts.popitem(last=False)
        return count >= MAX_REFUSALS

    def explain(self, run: Run, fault: Fault) -> Fault:
        """Return the fault; after too many, one that tells the host to stop."""
        seen, count = self._counts.get(run.run, (0, 0))
        if count < MAX_REFUSALS or seen != len(run.steps):
            return fault
        return Fault(
            Code.INVALID_INPUT,
            f"{fault.message}; {count} answers to this prompt were refused",
            help="stop here, and show the person this message",
            details={**fault.details, "refused": count},
        )

    def forget(self, run: Run) -> None:
        """Forget the refused answers of a run."""
        self._counts.pop(run.run, None)
