"""Rows of runs and steps, and the protocol of a journal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


SIGNATURE, STEPS_DIGEST = "signature", "steps_digest"
"""Fields of a run's document that show which account wrote it, and which steps; they do not leave the database."""

DAMAGED = "damaged"
"""Status of a run whose document cannot be read, in place of its own."""


def drop_signature(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's document without the signature and what it needs."""
    return {key: value for key, value in document.items() if key not in {SIGNATURE, STEPS_DIGEST}}


@dataclass(frozen=True, slots=True)
class RunRow:
    """Run in the journal; of `document`, the interpreter's JSON, only the types are known here.

    `damage` says what is wrong with a run that nobody can show or continue; its document is then that of `DAMAGED`.
    """

    run: str
    workflow: str
    created_at: str
    updated_at: str
    steps: int
    document: Mapping[str, Any]
    damage: str = ""


@dataclass(frozen=True, slots=True)
class StepRow:
    """Step in the journal; `seq` counts from 1 within the run."""

    run: str
    seq: int
    phase: str
    at: str
    document: Mapping[str, Any]


class RunJournal(Protocol):
    """Journal of runs; every method is one transaction, durable when it returns."""

    def create(
        self, run: str, workflow: str, document: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        """Create a run with first steps `(phase, document)`; CONFLICT when it exists."""

    def append(
        self, run: str, seq: int, steps: Sequence[tuple[str, Mapping[str, Any]]], head: Mapping[str, Any]
    ) -> None:
        """Append steps from number `seq` and replace the run's document; CONFLICT when one of them exists."""

    def head(self, run: str) -> RunRow | None:
        """Return the run, or None."""

    def steps(self, run: str, first: int = 1) -> Sequence[StepRow]:
        """Return the steps of a run in order, from number `first`."""

    def runs(self, limit: int, offset: int = 0, workflow: str | None = None) -> Sequence[RunRow]:
        """Return runs, newest first; only those of `workflow` when given."""
