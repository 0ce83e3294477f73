"""Resuming a run whose workflow was edited in the meantime."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition

    from .journal import Run
    from .step import Step


def find_first_edited(run: Run, definition: Definition) -> Step | None:
    """Find the first step whose phase has changed; None if none has."""
    return next((step for step in run.steps if not _is_unchanged(step, definition)), None)


def _is_unchanged(step: Step, definition: Definition) -> bool:
    if step.phase not in definition.workflow.phases:
        return False
    target = step.edge.target if step.edge else None
    known = target is None or target in definition.workflow.phases
    return known and step.fingerprint == definition.fingerprint_phase(step.phase)
