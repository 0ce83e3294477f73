"""Run as a test case: its inputs, the results of its tools and its answers, and the path as what is expected."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ruamel.yaml.cyaml import CSafeDumper

from aurora.faults.secrets import mask_json

from .listing import find_question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ruamel.yaml.nodes import ScalarNode

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project

_WIDTH = 120
_DECLINED = "declined"
"""Answer of a person who declines, in a case."""


class _FullError(Exception):
    """The writer has as many characters as are wanted."""


class _BoundedWriter:
    """Stream in memory that ends the writing of a document when it has enough of it.

    Args:
        most: the characters that are enough; None for the whole document.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._parts: list[str] = []
        self._length = 0

    def write(self, part: str) -> None:
        """Write a part of the document.

        Raises:
            _FullError: there is enough.
        """
        self._parts.append(part)
        self._length += len(part)
        if self._most is not None and self._length > self._most:
            raise _FullError

    def join(self) -> str:
        """Return all that was written."""
        return "".join(self._parts)


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
    written = _write_yaml(mask_json(document), most)
    return f"# Run {row.run}. `aur workflow test {workflow}` plays it again.\n{note}{written}"


class _CaseDumper(CSafeDumper):
    """Dumper of libyaml that writes a text of several lines on one, its line ends escaped.

    It takes a twentieth of the time of the dumper in Python.
    """

    def represent_text(self, text: str) -> ScalarNode:
        """Represent a text."""
        whole = text.encode("utf-8", "replace").decode()  # libyaml takes no half of a surrogate pair
        return self.represent_scalar("tag:yaml.org,2002:str", whole, style='"' if "\n" in whole else None)


_CaseDumper.add_representer(str, _CaseDumper.represent_text)


def _write_yaml(document: Any, most: int | None) -> str:
    """Write a document as YAML."""
    writer = _BoundedWriter(most)
    dumper = _CaseDumper(writer, default_flow_style=False, width=_WIDTH, allow_unicode=True)
    dumper.sort_base_mapping_type_on_output = False
    try:
        dumper.open()
        with suppress(_FullError):
            dumper.represent(document)
            dumper.close()
    finally:
        dumper.__dict__.clear()  # it refers to itself: the document would stay until a collection of all garbage
    return writer.join()


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
        result = {"fails": failed["code"]} if failed else kept.get("result")
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
        outcome["next_action"] = edge["token"]
    return outcome
