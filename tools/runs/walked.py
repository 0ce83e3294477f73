"""Walk of a run through its workflow: the workflow as it is now, the ways taken, and where it waits."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.faults import Fault
from aurora.interpreter import diagram
from aurora.interpreter.language import CONTINUE, END
from aurora.tools.core import CompactModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project


class Wait(CompactModel):
    """Wait of a run's last step for an answer, and where each answer leads."""

    person: bool = Field(default=False, description="For the person; otherwise for the assistant.")
    then: str = Field(default="", description="The next phase, or `end`; absent where the answer decides.")
    declined: str = Field(default="", description="The next phase if the person declines.")


def find_wait(project: Project, workflow: str, last: Mapping[str, Any]) -> Wait | None:
    """Find what the last step of a run waits for; None when it has led on already.

    A step that asks may have decided before the answer came, so its edge alone does not mean that the run took it.

    Args:
        project: the open project.
        workflow: the workflow of the run.
        last: the record of the step.
    """
    if not last.get("holds"):
        return None
    edge: Mapping[str, Any] = last.get("edge") or {}
    is_gate = last.get("status") == "waiting"
    declined = _find_decline_target(project, workflow, str(last.get("phase"))) if is_gate else ""
    return Wait(person=is_gate, then=str(edge.get("token", "")), declined=declined)


def _find_decline_target(project: Project, workflow: str, phase: str) -> str:
    """Find where a decline leads, in the workflow as it is now; empty when that cannot be read."""
    *outer, name = phase.split("/")
    try:
        definition = project.workflows.open(workflow)
        for entered in outer:
            definition = project.workflows.open(definition.workflow.phases[entered].workflow or "")
        return definition.workflow.find_decline_target(name) or ""
    except (Fault, KeyError):
        return ""


def describe_wait(wait: Mapping[str, Any]) -> str:
    """Describe a wait for the person who reads it: `waits for you: then end, or stop if you decline`."""
    then, declined = wait.get("then"), wait.get("declined")
    if not wait.get("person"):
        return f"waits for the assistant's answer{f': then {then}' if then else ', which decides'}"
    lead = f"then {then}" if then else "your answer decides"
    if not declined:
        return f"waits for you: {lead}"
    return f"waits for you: {lead}, {'also' if then == declined else f'or {declined}'} if you decline"


def find_run_workflow(project: Project, row: RunRow) -> tuple[Definition | None, list[str]]:
    """Find the workflow of a run as it is now, with what differs."""
    name = str(row.document.get("workflow", row.workflow))
    try:
        definition = project.workflows.open(name)
    except Fault:
        return None, [
            f"The workflow {name} cannot be used here (removed, not trusted, or with errors), so it is not drawn."
        ]
    if definition.digest != row.document.get("digest"):
        return definition, ["The workflow was edited since this run; the drawing shows it as it is now."]
    return definition, []


def count_visits(definition: Definition, row: RunRow, steps: Sequence[StepRow]) -> diagram.Visits:
    """Count the phases of the workflow itself, and the ways between them."""
    phases: Counter[str] = Counter()
    ways: Counter[tuple[str, str]] = Counter()
    links: dict[str, str] = {}
    known = {**definition.workflow.map_phase_names(), END: END}
    for step, after in zip_longest(steps, steps[1:]):
        name, _, inner = step.phase.partition("/")
        if name not in definition.workflow.phases:
            continue
        links[name] = f"#step-{step.seq}"
        if inner:
            continue
        phases[name] += not _is_answer(step)
        is_asking = after is None and step.document.get("holds")
        if not is_asking and not (after and _is_answer(after) and after.phase == step.phase):  # else the answer decides
            edge: Mapping[str, Any] = step.document.get("edge") or {}
            target = known.get(str(edge.get("token", "")))
            ways.update([(name, target)] if target is not None else [])
    is_open = row.document.get("status") in {"open", "waiting"}
    following = str(row.document.get("next") or "")
    here = str(row.document.get("phase") or "") if following == CONTINUE else following  # it stands where it asked
    current = here.partition("/")[0] if is_open else ""
    failed = {step.phase.partition("/")[0] for step in steps if step.document.get("status") == "error"}
    return diagram.Visits(phases, ways, links, known.get(current, ""), failed)


def _is_answer(step: StepRow) -> bool:
    return step.document.get("kind") == "answer"
