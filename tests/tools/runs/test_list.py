"""List of runs with a text: what the host or a person wrote, not what a phase retrieved or recalled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory.model.json_columns import encode_json
from aurora.memory.model.runs import RunHead, RunStep
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

QUERY = "Compare how the parser and the store report a bad option, and explain the trade-offs of both designs."
ANSWER = {
    "goal": "Know about marzipan.",
    "subgoals": [{"id": "s1", "description": "Read the parser and say how it reports.", "depends_on": []}],
}


def step(workspace: Workspace, phase: str, **more: Any) -> dict[str, Any]:
    return call_tool(workspace, "workflow.step", {"phase": phase, **more}, surface="mcp")


def list_runs(workspace: Workspace, text: str, **more: Any) -> list[str]:
    return [run["run"] for run in call_tool(workspace, "runs.list", {"text": text, **more})["runs"]]


@pytest.fixture
def run(workspace: Workspace) -> str:
    """A run whose phase decompose has recalled a preview about cookies, and whose answer is about marzipan."""
    (workspace.root / "docs" / "parser.md").write_text("# Parser\n\nThe parser reports a bad option in a cookie.\n")
    workspace.memory.index(workspace.root)
    run: str = step(workspace, "assess", query=QUERY)["run"]
    step(workspace, "retrieve", run=run)
    step(workspace, "decompose", run=run)
    step(workspace, "verify", run=run, answer=ANSWER)
    return run


def test_a_retrieved_text_that_a_phase_recalls_is_not_found(workspace: Workspace, run: str) -> None:
    recalled = workspace.memory.journal.steps(run)[2].document["inputs"]["chunks"]
    assert recalled
    assert [list_runs(workspace, chunk["id"]) for chunk in recalled] == [[]] * len(recalled)


@pytest.mark.parametrize("text", ["BAD OPTION, and explain", "marzipan", "Read the parser"])
def test_a_question_and_an_answer_are_found(workspace: Workspace, run: str, text: str) -> None:
    assert list_runs(workspace, text) == [run]
    assert list_runs(workspace, text, status="ended") == []


def test_pages_of_runs_with_a_text_skip_those_without_it(workspace: Workspace) -> None:
    with workspace.memory.store.begin_write() as db:
        for number in range(250):
            name, at = f"run{number:03}", f"2026-01-01T00:00:00.{number:06}+00:00"
            assert db.runs.insert(RunHead(name, "soar", at, at, encode_json({"status": "open"})))
            where = "given" if number % 2 else "result"
            assert db.runs.add_step(name, RunStep(1, "assess", at, encode_json({where: {"query": "the cookie"}})))
    found = call_tool(workspace, "runs.list", {"text": "cookie", "limit": 100})
    rest = call_tool(workspace, "runs.list", {"text": "cookie", "limit": 100, "offset": found["next_offset"]})
    names = [run["run"] for run in (*found["runs"], *rest["runs"])]
    assert names == [f"run{number:03}" for number in range(249, 0, -2)]
    assert rest.get("next_offset") is None
