"""What the interpreter needs from outside, as protocols; `tools/` hands them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.interpreter.language import Definition

    from .journal import Run, Step


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What a checker must know of a tool: its name and the JSON Schemas of its arguments, settings and result."""

    name: str
    input: Mapping[str, Any]
    params: Mapping[str, Any]
    output: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use of a tool by a phase."""

    name: str
    arguments: Mapping[str, Any]
    params: Mapping[str, Any]
    request_id: str
    progress: Callable[[float, float | None, str], None] | None = None


class Toolbox(Protocol):
    """The tools that phases may use."""

    def names(self) -> Sequence[str]:
        """Every name, aliases left out."""

    def facts(self, name: str) -> ToolFacts | None:
        """The tool of this name or alias; None when there is none."""

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Run it and give its result as JSON values; raises `Fault`."""


class Workflows(Protocol):
    """Where an engine finds what it runs."""

    def load(self, name: str) -> Definition:
        """The workflow of this name, fit to run; raises `Fault`."""


class Journal(Protocol):
    """Where runs are kept; each method is one transaction, durable once it returns."""

    def load(self, run: str) -> Run | None:
        """The run with all its steps, or None."""

    def begin(self, run: Run) -> None:
        """Keep a new run with the steps it has; Fault CONFLICT when its id is taken."""

    def append(self, run: Run, step: Step) -> None:
        """Add the step to the run; Fault CONFLICT when another process added one first."""


class Clock(Protocol):
    """The time of day, and a stopwatch."""

    def now(self) -> float:
        """Seconds since 1970."""

    def elapsed(self) -> float:
        """Seconds on a clock that only goes forward."""
