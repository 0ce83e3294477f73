"""A run whose workflow was edited under it: what still stands, and where it must go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition

    from .journal import Run, Step


def find_first_edited(run: Run, definition: Definition) -> Step | None:
    """The first step whose phase is no longer what it was; None when every finished phase still stands."""
    return next((step for step in run.steps if not _is_unchanged(step, definition)), None)


def _is_unchanged(step: Step, definition: Definition) -> bool:
    if step.phase not in definition.workflow.phases:
        return False
    target = step.edge.target if step.edge else None
    known = target is None or target in definition.workflow.phases
    return known and step.fingerprint == definition.fingerprint_phase(step.phase)
