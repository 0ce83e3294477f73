"""Runs and their steps as the journal keeps them, and what a journal must be able to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as the journal keeps it; `document` is the interpreter's own JSON, opaque here."""

    run: str
    workflow: str
    created_at: str
    updated_at: str
    steps: int
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step as the journal keeps it; `seq` counts from 1 within the run."""

    run: str
    seq: int
    phase: str
    at: str
    document: Mapping[str, Any]


class RunJournal(Protocol):
    """The journal half of a memory; every method is one transaction, durable once it returns."""

    def create(
        self, run: str, workflow: str, document: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        """Begin run `run` with these first steps, `(phase, document)`; Fault CONFLICT when the id is taken."""

    def append(self, run: str, seq: int, phase: str, document: Mapping[str, Any], head: Mapping[str, Any]) -> None:
        """Add step `seq` and replace the run's document by `head`; Fault CONFLICT when that seq exists already."""

    def head(self, run: str) -> RunRow | None:
        """The run, or None."""

    def steps(self, run: str) -> Sequence[StepRow]:
        """Its steps in order."""

    def runs(self, limit: int, offset: int = 0, workflow: str | None = None) -> Sequence[RunRow]:
        """The newest runs first; only those of `workflow` when it is named."""
