"""Protocols of what the interpreter needs from outside; `tools/` provides them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition

    from .call import PersonReply
    from .journal import Run
    from .step import Step


PhaseUse = Literal["phases", "jobs", "none"]
"""Phases that may use a tool: those of any workflow, those of jobs, or none."""


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """Name of a tool, its JSON Schemas, and the phases that may use it.

    Attributes:
        allowed: argument -> the values that the person allows on this machine; any value of an argument without them.
    """

    name: str
    input: Mapping[str, Any]
    params: Mapping[str, Any]
    output: Mapping[str, Any]
    phase_use: PhaseUse
    allowed: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use of a tool by a phase.

    Attributes:
        workflow: the name of the phase's workflow.
        run: the run; empty if the call begins one.
        person: the accepting reply of a person that led to the phase in the same call.
    """

    name: str
    arguments: Mapping[str, Any]
    params: Mapping[str, Any]
    request_id: str
    workflow: str
    progress: Callable[[float, float | None, str], None] | None = None
    phase: str = ""
    run: str = ""
    person: PersonReply | None = None


class Toolbox(Protocol):
    """The tools that phases can use."""

    def names(self, *, in_job: bool) -> Sequence[str]:
        """List the tools that a phase of a workflow, or of a job, may use, without aliases."""

    def facts(self, name: str) -> ToolFacts | None:
        """Return the facts of the tool with this name or alias; None if there is none."""

    def stamp_facts(self, name: str) -> str:
        """Return a text that changes whenever the facts of a tool do; empty if there is none.

        It leaves out `allowed`, and costs less than the facts where possible.
        """

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Run the tool and return its result as JSON values.

        Raises:
            Fault: FORBIDDEN for a tool that the phase may not use, and the tool's own.
        """


class Workflows(Protocol):
    """The workflows that an engine runs."""

    def load(self, name: str) -> Definition:
        """Return the workflow, ready to run; raise `Fault`."""


class Journal(Protocol):
    """Storage of runs; each method is one transaction, durable when it returns."""

    def load(self, run: str) -> Run | None:
        """Return the run with all its steps, or None."""

    def begin(self, run: Run) -> None:
        """Store a new run with its steps; Fault CONFLICT when its id is taken."""

    def append(self, run: Run, steps: Sequence[Step]) -> None:
        """Append the steps to the run, all or none; Fault CONFLICT when another process appended first."""


class Clock(Protocol):
    """The time of day, and a stopwatch."""

    def now(self) -> float:
        """Return the seconds since 1970."""

    def today(self) -> str:
        """Return the date, as `2026-01-31`."""

    def elapsed(self) -> float:
        """Return the seconds of a monotonic clock."""


class Surroundings(Protocol):
    """Facts about the project that expressions and prompts read under `run`."""

    def get_branch(self) -> str:
        """Return the branch that is checked out; empty without one."""

    def get_version(self) -> str:
        """Return the version of Aurora."""

    def make_folder(self, run: str) -> str:
        """Make the folder for the files of a run, and return its path from the project's folder."""
