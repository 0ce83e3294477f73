"""Example workflows: fit to run, and walked to their ends by their cases."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "workflows"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Open a project whose workflows are the examples."""
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copytree(EXAMPLES, tmp_path / "project" / ".aurora" / "workflows")
    with Workspace(tmp_path / "project") as opened:
        yield opened


def test_every_example_is_valid_without_a_warning(workspace: Workspace) -> None:
    output = call_tool(workspace, "workflow.validate", {"files": NAMES})
    assert [one["problems"] for one in output["files"]] == [[]] * len(NAMES)


def test_every_example_is_walked_to_its_end_on_two_paths_by_its_cases(workspace: Workspace) -> None:
    output: dict[str, Any] = call_tool(workspace, "workflow.test", {"files": NAMES})
    assert [case for case in output["cases"] if case["status"] != "passed"] == []
    paths: dict[str, set[tuple[str, ...]]] = {}
    for case in output["cases"]:
        paths.setdefault(case["workflow"], set()).add(tuple(case["path"]))
    assert sorted(paths) == NAMES
    assert [name for name, ways in paths.items() if len(ways) < 2] == []


def test_no_example_has_a_phase_that_only_leads_on(workspace: Workspace) -> None:
    for name in NAMES:
        phases = workspace.workflows.load(name).workflow.phases
        idle = [one for one, phase in phases.items() if phase.uses == "mem.stats"]
        assert idle == [], name


def test_a_plan_is_walked_task_by_task_with_the_reviews_of_each(workspace: Workspace) -> None:
    content = {"faults": []}
    answers = [["One", "Two"], "1", {"faults": ["No test."]}, "1, tested", content, content, "2", content, content]
    response = step_workflow(workspace, {"phase": "read_plan", "workflow": "reviewed-tasks", "plan": "Two tasks"})
    asked = [response["phase"]]
    for answer in [*answers, {"ready": True}, "Merge."]:
        assert response["next_call"] is not None, response
        response = step_workflow(workspace, {**response["next_call"]["arguments"], "answer": answer})
        assert response["status"] == "complete", response.get("error")
        asked.append(response["phase"])
    assert response["next_action"] == "end"
    assert asked[:5] == ["read_plan", "work/implement", "work/compliance", "work/implement", "work/compliance"]
    assert asked[5:10] == ["work/quality", "work/implement", "work/compliance", "work/quality", "whole"]
