"""Tasks in people's words, each with its workflow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.workflows.suggest import Candidate, rank_workflows

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

HERE = Path(__file__).parent


def tasks(name: str) -> list[tuple[str, str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("|") for line in lines if not line.startswith("#"))
    return [(workflow.strip(), task.strip()) for workflow, _, task in pairs]


def first(workspace: Workspace, task: str) -> dict[str, Any]:
    found: dict[str, Any] = call_tool(workspace, "workflow.suggest", {"task": task})["suggestions"][0]
    return found


@pytest.mark.parametrize(("workflow", "task"), tasks("suggested_tasks.txt"))
def test_a_task_is_matched_with_its_workflow(workspace: Workspace, workflow: str, task: str) -> None:
    assert first(workspace, task)["workflow"] == workflow


def test_most_held_out_tasks_find_their_workflow(workspace: Workspace) -> None:
    output = [(workflow, first(workspace, task)["workflow"]) for workflow, task in tasks("suggested_held_out.txt")]
    assert sum(wanted == found for wanted, found in output) >= 0.75 * len(output)


def test_a_suggestion_has_its_reasons_and_first_phase(workspace: Workspace) -> None:
    found = first(workspace, "Fix the crash in the parser")
    assert found["words"] == ["fix", "crash"]
    assert "bug" in found["nearest"]
    assert found["start"] == "retrieve"
    assert found["confidence"] > 0.5


def test_the_confidences_of_all_workflows_add_up_to_one(workspace: Workspace) -> None:
    found = call_tool(workspace, "workflow.suggest", {"task": "Review the diff", "limit": 20})["suggestions"]
    assert sum(one["confidence"] for one in found) == pytest.approx(1, abs=0.03)
    assert [one["confidence"] for one in found] == sorted((one["confidence"] for one in found), reverse=True)


@pytest.mark.parametrize("task", ["zzz qqq", "...", "これは何ですか", "\0", "x" * 8000])
def test_a_task_without_meaning_leaves_the_choice_open(workspace: Workspace, task: str) -> None:
    found = call_tool(workspace, "workflow.suggest", {"task": task})
    assert found["certain"] is False
    assert len(found["suggestions"]) == 3


def test_a_workflow_of_the_project_is_found_by_its_suits(workspace: Workspace) -> None:
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    text = """
    aurora: 1
    name: brew
    version: "1"
    suits: [brew a cup of tea]
    start: brew
    phases: { brew: { prompt_template: "Brew it.", answer: { type: string }, next_action: end } }
    """
    (folder / "brew.yaml").write_text(text, encoding="utf-8")
    assert first(workspace, "I would like a cup of tea")["workflow"] == "brew"


def test_a_workflow_that_does_not_run_is_not_suggested(workspace: Workspace) -> None:
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "bug-fix.yaml").write_text("extends: bug-fix\nphases: { nowhere: null }\n", encoding="utf-8")
    assert first(workspace, "Fix the crash")["workflow"] != "bug-fix"


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    both = [
        Candidate("one", "Change the code", "", ("change code", "paint the code")),
        Candidate("other", "Change the code", "", ("change code", "weigh the code")),
    ]
    assert rank_workflows("paint and change the code of the code", both)[0].name == "one"
    assert rank_workflows("weigh and change the code of the code", both)[0].name == "other"


def test_an_empty_list_of_workflows_is_not_an_error() -> None:
    assert rank_workflows("fix it", []) == []
