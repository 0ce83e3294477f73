"""Run as a test case.

The case has the inputs, the results of the tools and the answers, and expects the path.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aurora.faults.secrets import mask_json

from .listing import find_question
from .yaml_lines import write_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project

_DECLINED = "declined"
"""Answer of a person who declines, in a case."""


def render_case(project: Project, row: RunRow, steps: Sequence[StepRow], most: int | None = None) -> str:
    """Render a file of cases with the run as its only case.

    Args:
        project: the project of the run.
        row: the run.
        steps: all of its steps.
        most: characters after which the text may end; None for the whole file.
    """
    workflow = str(row.document.get("workflow", row.workflow))
    has_ended = row.document.get("status") not in {"open", "waiting"}
    document: dict[str, Any] = {
        "workflow": workflow,
        "cases": [
            {
                "name": find_question(steps[0] if steps else None, 100) or f"run {row.run}",
                "inputs": _collect_inputs(steps),
                "tools": _collect_results(project, workflow, steps),
                "answers": _collect_answers(steps),
                "expect": _describe_outcome(steps) if has_ended else {},
            }
        ],
    }
    case = document["cases"][0]
    document["cases"] = [{key: value for key, value in case.items() if value}]
    note = "" if has_ended else "# The run has not ended; add the answers that it still needs.\n"
    written = _join_lines(write_lines(mask_json(document)), most)
    return f"# Run {row.run}. `aur workflow test {workflow}` plays it again.\n{note}{written}"


def _join_lines(lines: Iterable[str], most: int | None) -> str:
    """Join the lines, as far as the one with which there are more characters than are wanted."""
    parts: list[str] = []
    length = 0
    for line in lines:
        parts.append(line)
        length += len(line)
        if most is not None and length > most:
            break
    return "".join(parts)


def _collect_inputs(steps: Sequence[StepRow]) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for step in steps:
        inputs |= step.document.get("given") or {}
    return inputs


def _collect_results(project: Project, workflow: str, steps: Sequence[StepRow]) -> dict[str, Any]:
    """Collect the results of the phases with a tool, as a list where a phase ran more than once."""
    phases = project.workflows.open(workflow).workflow.phases
    results: dict[str, list[Any]] = {}
    for step in steps:
        kept = step.document
        phase = phases.get(step.phase)
        if phase is None or not phase.uses or kept.get("kind", "phase") != "phase":
            continue
        failed = kept.get("error")
        result = {"fails": failed.get("code", "")} if failed else kept.get("result")
        if kept.get("status") != "skipped" and isinstance(result, dict):
            results.setdefault(step.phase, []).append(result)
    return {phase: some[0] if len(some) == 1 else some for phase, some in results.items()}


def _collect_answers(steps: Sequence[StepRow]) -> dict[str, Any]:
    """Collect the answers by the phase that asked; one list for the items of a `for_each`."""
    answers: dict[str, list[Any]] = {}
    for asking, step in pairwise(steps):
        kept = step.document
        brought = kept.get("brought") or ()
        by: Mapping[str, Any] = kept.get("by") or {}
        if by and not brought:
            answers.setdefault(asking.phase, []).append(_DECLINED)
        for answer in brought:
            many = isinstance(asking.document.get("asks"), int) and asking.document["asks"] > 0
            answers.setdefault(asking.phase, []).extend(answer if many and isinstance(answer, list) else [answer])
    return {phase: some if len(some) > 1 or isinstance(some[0], list) else some[0] for phase, some in answers.items()}


def _describe_outcome(steps: Sequence[StepRow]) -> dict[str, Any]:
    path = [step.phase for step in steps if step.document.get("kind", "phase") == "phase"]
    outcome: dict[str, Any] = {"path": path}
    if steps and (edge := steps[-1].document.get("edge")):
        outcome["next_action"] = edge.get("token", "")
    return outcome
