"""Walk of a run through its workflow: the workflow as it is now, and the phases and ways taken."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from aurora.faults import Fault
from aurora.interpreter import diagram
from aurora.interpreter.language import CONTINUE, END

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project


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
        if after is None or not (_is_answer(after) and after.phase == step.phase):  # else the answer decides
            edge: Mapping[str, Any] = step.document.get("edge") or {}
            target = known.get(str(edge.get("token", "")))
            ways.update([(name, target)] if target is not None else [])
    is_open = row.document.get("status") in {"open", "waiting"}
    following = str(row.document.get("next") or "")
    here = str(row.document.get("phase") or "") if following == CONTINUE else following  # it stands where it asked
    current = here.partition("/")[0] if is_open else ""
    return diagram.Visits(phases, ways, links, known.get(current, ""))


def _is_answer(step: StepRow) -> bool:
    return step.document.get("kind") == "answer"
