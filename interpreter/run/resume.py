"""Resuming a run whose workflow, or one that runs as a phase of it, was edited in the meantime."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.interpreter.schema.validate import find_faults

from .frames import collect_definitions
from .inputs import build_answer_schema
from .step import SEPARATOR

if TYPE_CHECKING:
    from aurora.interpreter.language.definition import Definition

    from .frames import LoadDefinition
    from .journal import Run
    from .step import Edge, Step


@dataclass(frozen=True, slots=True)
class EditedStep:
    """The first step of a run that an edit voids.

    Attributes:
        step: the step, maybe one of a workflow that runs as a phase.
        beginning: the step of the run's own workflow to go back to.
    """

    step: Step
    beginning: Step


def compute_digest(definition: Definition, load: LoadDefinition) -> str:
    """Hash a workflow with those that run as its phases, at any depth; without them it is its own digest.

    Args:
        definition: the workflow.
        load: returns a workflow by its name.
    """
    if not definition.workflow.inner_workflows:
        return definition.digest
    try:
        inner = collect_definitions(definition, load)
    except Fault:
        return ""  # one is missing or broken: the steps of each are compared
    text = " ".join([definition.digest, *(f"{name}={one.digest}" for name, one in sorted(inner.items()))])
    return hashlib.sha256(text.encode()).hexdigest()


def find_first_edited(run: Run, definition: Definition, load: LoadDefinition) -> EditedStep | None:
    """Find the first step that the edited workflows would not have taken so; None if there is none.

    Args:
        run: the run.
        definition: its workflow.
        load: returns a workflow by its name.
    """
    comparison = _Comparison(definition, load)
    for step, following in zip_longest(run.steps, run.steps[1:]):
        if not comparison.is_valid(step, following):
            return EditedStep(step, find_beginning(run, step))
    return None


def find_beginning(run: Run, step: Step) -> Step:
    """Find the step that began the phase of a step; with a workflow, that of its first item."""
    phase = step.phase.partition(SEPARATOR)[0]
    for before in reversed(run.steps[: step.seq]):
        if before.kind == "enter" and before.phase == phase and before.index == 0:
            return before
        if before is not step and not before.is_within:
            break
    return step


@dataclass(slots=True)
class _Comparison:
    """Comparison of the steps of a run, in their order, with the present workflows."""

    definition: Definition
    load: LoadDefinition
    _taken: Counter[tuple[str, int]] = field(default_factory=Counter)
    _definitions: dict[str, Definition | None] = field(default_factory=dict)

    def is_valid(self, step: Step, following: Step | None) -> bool:
        """Return whether the present workflows take the step, too."""
        path, _, name = step.phase.rpartition(SEPARATOR)
        definition = self._find_definition(path)
        if definition is None or not _is_unchanged(step, name, definition):
            return False
        if step.kind == "enter":
            self._forget_taken(step.phase)
            return definition.workflow.phases[name].workflow is not None
        return self._has_same_limit(step, name, definition) and _has_fitting_values(step, name, following, definition)

    def _find_definition(self, path: str) -> Definition | None:
        """Find the workflow of the steps below a path of phases; None where there is none now."""
        if not path:
            return self.definition
        if path not in self._definitions:
            outer, _, name = path.rpartition(SEPARATOR)
            around = self._find_definition(outer)
            spec = around.workflow.phases.get(name) if around is not None else None
            self._definitions[path] = self._load_inner(spec.workflow) if spec and spec.workflow else None
        return self._definitions[path]

    def _load_inner(self, name: str) -> Definition | None:
        try:
            return self.load(name)
        except Fault:
            return None

    def _forget_taken(self, phase: str) -> None:
        """Forget the rules that an earlier walk of a phase's workflow took."""
        for key in [key for key in self._taken if key[0].startswith(f"{phase}{SEPARATOR}")]:
            del self._taken[key]

    def _has_same_limit(self, step: Step, name: str, definition: Definition) -> bool:
        """Return whether the rule that was taken is used up just when it was; counts it."""
        edge: Edge | None = step.edge
        rules = definition.workflow.phases[name].next_action
        if edge is None or edge.rule is None or edge.rule >= len(rules):
            return True
        most, key = rules[edge.rule].max, (step.phase, edge.rule)
        # Another `max` changes a run only from the round on that it lets through or stops.
        if most is not None and bool(edge.spent) is not (self._taken[key] >= most):
            return False
        self._taken[key] += not edge.spent
        return True


def _is_unchanged(step: Step, name: str, definition: Definition) -> bool:
    if name not in definition.workflow.phases:
        return False
    target = step.edge.target if step.edge else None
    known = target is None or target in definition.workflow.phases
    return known and definition.has_fingerprint(name, step.fingerprint)


def _has_fitting_values(step: Step, name: str, following: Step | None, definition: Definition) -> bool:
    """Return whether the inputs, and a single answer, fit their present schemas."""
    spec = definition.workflow.phases[name]
    if step.kind != "phase":
        return True
    for key, given in spec.inputs.items():
        value = step.inputs.get(key)
        if value is not None and find_faults(value, given.json_schema):
            return False
    if following is None or not following.brought or step.asks:
        return True
    asks_once = step.awaits_answer and not (spec.branches or spec.person)
    if not asks_once:
        return True
    return not find_faults(following.brought[0], build_answer_schema(definition, replace(step, phase=name)))
