"""Resuming a run whose workflow was edited in the meantime."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING

from aurora.interpreter.schema import find_faults

from .phase import build_answer_schema

if TYPE_CHECKING:
    from aurora.interpreter.language import Definition

    from .journal import Run
    from .step import Edge, Step


def find_first_edited(run: Run, definition: Definition) -> Step | None:
    """Find the first step that the edited workflow would not have taken so; None if there is none."""
    taken: Counter[tuple[str, int]] = Counter()
    for step, following in zip_longest(run.steps, run.steps[1:]):
        if not _is_unchanged(step, definition) or not _has_same_limit(step, definition, taken):
            return step
        if not _has_fitting_values(step, following, definition):
            return step
    return None


def _is_unchanged(step: Step, definition: Definition) -> bool:
    outer = definition.workflow.phases.get(step.phase.partition("/")[0])
    if outer is None:
        return False
    if step.is_within:  # a workflow within this one; its own file is not part of this digest
        return outer.workflow is not None
    target = step.edge.target if step.edge else None
    known = target is None or target in definition.workflow.phases
    return known and definition.has_fingerprint(step.phase, step.fingerprint)


def _has_same_limit(step: Step, definition: Definition, taken: Counter[tuple[str, int]]) -> bool:
    """Return whether the rule that was taken is used up just when it was; counts it in `taken`."""
    edge: Edge | None = step.edge
    rules = definition.workflow.phases[step.phase].next_action
    if edge is None or edge.rule is None or edge.rule >= len(rules):
        return True
    most, key = rules[edge.rule].max, (step.phase, edge.rule)
    if most is not None and bool(edge.spent) is not (taken[key] >= most):
        return False
    taken[key] += not edge.spent
    return True


def _has_fitting_values(step: Step, following: Step | None, definition: Definition) -> bool:
    """Return whether the inputs, and a single answer, fit their present schemas."""
    spec = definition.workflow.phases[step.phase]
    if step.kind != "phase":
        return True
    for name, given in spec.inputs.items():
        value = step.inputs.get(name)
        if value is not None and find_faults(value, given.json_schema):
            return False
    if following is None or not following.brought or step.asks:
        return True
    asks_once = step.awaits_answer and not (spec.branches or spec.person)
    return not asks_once or not find_faults(following.brought[0], build_answer_schema(definition, step))
