"""Fakes of the interpreter's ports for simulated runs, all in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.ports import Toolbox, ToolCall, ToolFacts
    from aurora.interpreter.run.step import Step


@dataclass(slots=True)
class FakeTools:
    """A toolbox whose tools return the prepared result; implements `Toolbox`.

    Attributes:
        result: the result of the next call.
        fault: the failure instead of a result.
        uses_real: whether the real tool runs.
        real: the real tools, if any.
    """

    result: Any = None
    fault: Fault | None = None
    uses_real: bool = False
    real: Toolbox | None = None

    def names(self, *, in_job: bool) -> Sequence[str]:
        """Return no names: the fake accepts every tool."""
        del in_job
        return ()

    def facts(self, name: str) -> ToolFacts | None:
        """Return None: the fake knows nothing of a tool."""
        del name
        return None

    def stamp_facts(self, name: str) -> str:
        """Return nothing: as `facts`."""
        del name
        return ""

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Return the prepared result, or call the real tool."""
        if self.uses_real and self.real is not None:
            return self.real.call(call)
        if self.fault is not None:
            raise self.fault
        if not isinstance(self.result, dict):
            raise Fault(Code.INTERNAL_ERROR, f'the result of "{call.name}" is not an object')
        return dict(self.result)


@dataclass(slots=True)
class InMemoryJournal:
    """A journal of runs in memory; implements `Journal`."""

    runs: dict[str, Run] = field(default_factory=dict)

    def load(self, run: str) -> Run | None:
        """Return the run, or None."""
        return self.runs.get(run)

    def begin(self, run: Run) -> None:
        """Store a new run."""
        if run.run in self.runs:
            raise Fault(Code.CONFLICT, f'there is a run "{run.run}" already')
        self.runs[run.run] = run

    def append(self, run: Run, steps: Sequence[Step]) -> None:
        """Append steps to the run."""
        if len(self.runs[run.run].steps) != len(run.steps):
            raise Fault(Code.CONFLICT, f'run "{run.run}" has more steps than expected')
        for step in steps:
            run = run.with_step(step)
        self.runs[run.run] = run


class FixedClock:
    """A clock that stands still; implements `Clock`."""

    @staticmethod
    def now() -> float:
        """Return the beginning of 1970."""
        return 0.0

    @staticmethod
    def today() -> str:
        """Return the first day of 1970."""
        return "1970-01-01"

    @staticmethod
    def elapsed() -> float:
        """Return zero seconds."""
        return 0.0


@dataclass(frozen=True, slots=True)
class SingleWorkflowCatalog:
    """A catalog of one workflow and of those that its phases run; implements `Workflows`."""

    definition: Definition
    known: KnownWorkflows | None = None

    def load(self, name: str) -> Definition:
        """Return a workflow that a phase runs, and the one of the catalog for any other name."""
        found = self.known.find_definition(name) if self.known is not None else None
        return self.definition if found is None or name == self.definition.workflow.name else found
