"""The stage for a simulated run: the interpreter's ports, played from memory; nothing outside is touched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.language import Definition
    from aurora.interpreter.run import Run, Step, Toolbox, ToolCall, ToolFacts


@dataclass(slots=True)
class FakeTools:
    """Every tool gives what it was told to give next; implements `interpreter.Toolbox`.

    Attributes:
        result: what the next tool gives.
        fault: what it fails with instead.
        asks_real: whether the real tool is asked.
        real: the real tools, if there are any.
    """

    result: Any = None
    fault: Fault | None = None
    uses_real: bool = False
    real: Toolbox | None = None

    def names(self) -> Sequence[str]:
        """None: whoever is asked for plays it."""
        return ()

    def facts(self, name: str) -> ToolFacts | None:
        """Nothing is known of it."""
        del name
        return None

    def call(self, call: ToolCall) -> dict[str, Any]:
        """What was told, or what the real tool gives."""
        if self.uses_real and self.real is not None:
            return self.real.call(call)
        if self.fault is not None:
            raise self.fault
        if not isinstance(self.result, dict):
            raise Fault(Code.INTERNAL_ERROR, f'the result of "{call.name}" is no object')
        return dict(self.result)


@dataclass(slots=True)
class InMemoryJournal:
    """Runs in memory; implements `interpreter.Journal`."""

    runs: dict[str, Run] = field(default_factory=dict)

    def load(self, run: str) -> Run | None:
        """The run, or None."""
        return self.runs.get(run)

    def begin(self, run: Run) -> None:
        """Keep a new run."""
        if run.run in self.runs:
            raise Fault(Code.CONFLICT, f'there is a run "{run.run}" already')
        self.runs[run.run] = run

    def append(self, run: Run, step: Step) -> None:
        """Add the step."""
        if len(self.runs[run.run].steps) != len(run.steps):
            raise Fault(Code.CONFLICT, f'run "{run.run}" has gone on')
        self.runs[run.run] = run.with_step(step)


class FixedClock:
    """It is always the same moment; implements `interpreter.Clock`."""

    @staticmethod
    def now() -> float:
        """The beginning of 1970."""
        return 0.0

    @staticmethod
    def elapsed() -> float:
        """No time passes."""
        return 0.0


@dataclass(frozen=True, slots=True)
class SingleWorkflowCatalog:
    """A catalog of one; implements `interpreter.Workflows`."""

    definition: Definition

    def load(self, name: str) -> Definition:
        """The workflow, whatever it is called."""
        del name
        return self.definition
