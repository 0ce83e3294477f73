"""A secret in a question, an answer or a pattern is in no file of the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
ANSWER = {
    "goal": f"Why does {TOKEN} fail?",
    "subgoals": [
        {"title": f"Read {TOKEN}", "question": f"What reads {TOKEN}?", "uses": ["parser.py"], "critical": True},
    ],
}


@pytest.fixture
def project(root: Path) -> Path:
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
    return root


def list_files_with(root: Path, text: str) -> list[str]:
    files = [path for path in (root / ".aurora").rglob("*") if path.is_file()]
    return [path.name for path in files if text.encode() in path.read_bytes()]


def step(workspace: Workspace, **arguments: Any) -> dict[str, Any]:
    return call_tool(workspace, "workflow.step", arguments)


def test_a_secret_in_a_question_or_an_answer_is_not_stored(project: Path) -> None:
    with Workspace(project) as workspace:
        first = step(workspace, phase="assess", query=f"How does the parser read {TOKEN}, and where is it reported?")
        run = first["run"]
        while "answer" not in first["next_call"]["needs"]:
            first = step(workspace, **first["next_call"]["arguments"])
        step(workspace, **first["next_call"]["arguments"], answer=ANSWER)
        shown = call_tool(workspace, "runs.show", {"run": run})
    assert TOKEN not in str(shown)
    assert "[secret: a GitHub token]" in str(shown)
    assert list_files_with(project, TOKEN) == []


def test_a_secret_in_a_finished_run_is_not_stored_as_a_pattern(project: Path, soar: dict[str, Any]) -> None:
    with Workspace(project) as workspace:
        (project / "guide.md").write_text("# Tokens\n\nA token opens the door.\n", encoding="utf-8")
        workspace.memory.index(workspace.root)
        given = {
            "query": f"What is {TOKEN}, which door does it open?",
            "response": f"It is {TOKEN}, a token.",
            "confidence": 1.0,
            "verified": 1.0,
            "citations": [workspace.memory.search("door", limit=1).hits[0].chunk.id],
        }
        record = call_tool(workspace, "pattern.record", given, params=soar["phases"]["record"]["params"])
        text = call_tool(workspace, "mem.get", {"ids": [record["id"]]})["chunks"][0]["text"]
    assert "[secret: a GitHub token]" in text
    assert list_files_with(project, TOKEN) == []
