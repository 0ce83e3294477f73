"""The status of a run: where it is, what remains, and how well its workflow fits its question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter.lab.proof import measure_remaining
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

QUESTION = "Fix the crash of the parser on an empty option"
LINE = """\
aurora: 1
name: line
version: 1.0.0
start: a
phases:
  a:
    inputs: { query: { type: string } }
    prompt_template: "Think about {{ query }}."
    answer: { type: string }
    next_action:
      - { when: "answer == 'again'", then: a, max: 2, else: c }
      - { when: "answer == 'short'", then: c }
      - { then: b }
  b: { next_action: c, prompt_template: More., answer: { type: string } }
  c: { next_action: end, prompt_template: Last., answer: { type: string } }
"""


@pytest.fixture
def line(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("AURORA_TRUST", "1")
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "line.yaml").write_text(LINE, encoding="utf-8")
    return workspace


def step(workspace: Workspace, **arguments: Any) -> dict[str, Any]:
    return call_tool(workspace, "workflow.step", arguments)


@pytest.mark.requirement("triads-10")
def test_what_remains_is_a_range_where_rules_decide(line: Workspace) -> None:
    definition = line.workflows.load("line")
    assert measure_remaining(definition, "a") == (measured := measure_remaining(definition, "a"))
    assert (measured.least, measured.most, measured.names) == (2, 5, ("a", "b", "c"))
    rest = measure_remaining(definition, "b")
    assert (rest.least, rest.most, rest.names) == (2, 2, ("b", "c"))


@pytest.mark.requirement("triads-10")
def test_the_status_follows_the_run_to_its_end(line: Workspace) -> None:
    run = step(line, workflow="line", phase="a", query=QUESTION)["run"]
    status = call_tool(line, "runs.status", {"run": run})
    assert (status["question"], status["phase"], status["phases_completed"]) == (QUESTION, "a", [])
    assert status["phases_remaining"] == {"least": 2, "most": 5, "phases": ["a", "b", "c"]}
    step(line, phase="continue", run=run, answer="long")
    status = call_tool(line, "get_workflow_state", {})
    assert (status["phase"], status["phases_completed"]) == ("c", ["a", "b"])  # b's prompt is handed out
    last = step(line, phase="c", run=run, answer="x")
    step(line, **last["next_call"]["arguments"], answer="done")
    status = call_tool(line, "runs.status", {})
    assert (status["status"], status.get("phase")) == ("ended", None)
    assert status["phases_remaining"] == {"least": 0, "most": 0, "phases": []}


@pytest.mark.requirement("triads-7")
def test_the_confidence_says_what_it_rests_on(workspace: Workspace) -> None:
    step(workspace, workflow="bug-fix", query=QUESTION)
    status = call_tool(workspace, "get_routing_status", {})
    basis = status["basis"]
    assert basis["best"] == "bug-fix"
    assert {"fix", "crash"} <= set(basis["words"])
    suggested = call_tool(workspace, "suggest_workflow", {"task_description": QUESTION})["suggestions"][0]
    assert (status["confidence"], basis["nearest"]) == (suggested["confidence"], suggested["nearest"])
    assert basis["compared"] == len(call_tool(workspace, "list_available_triads", {})["workflows"])


def test_a_run_whose_workflow_is_gone_has_a_status_without_what_remains(line: Workspace) -> None:
    step(line, workflow="line", phase="a", query=QUESTION)
    (line.root / ".aurora" / "workflows" / "line.yaml").unlink()
    status = call_tool(line, "runs.status", {})
    assert "phases_remaining" not in status
    assert "cannot be used here" in status["note"]


def test_an_unknown_run_is_refused(workspace: Workspace) -> None:
    for arguments in ({}, {"run": "aaaaaaaa"}):
        with pytest.raises(Fault, match="there is no run") as caught:
            call_tool(workspace, "runs.status", arguments)
        assert caught.value.code is Code.NOT_FOUND


@pytest.mark.requirement("aura-5")
def test_the_list_shows_the_question_and_filters_by_workflow_state_and_text(line: Workspace) -> None:
    first = step(line, workflow="line", phase="a", query=QUESTION)["run"]
    second = step(line, phase="assess", query="What is a parser?")["run"]

    def listed(**filters: Any) -> dict[str, str]:
        rows = call_tool(line, "aura_list_stories", filters)["runs"]
        return {row["run"]: row["question"] for row in rows}

    assert listed() == {second: "What is a parser?", first: QUESTION}
    assert listed(workflow="line") == {first: QUESTION}
    assert listed(text="crash") == {first: QUESTION}
    assert set(listed(status="open")) == {first, second}
    assert listed(status="failed") == {}


def test_a_long_question_is_shortened_at_a_word_and_a_secret_in_it_is_masked(workspace: Workspace) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    step(workspace, phase="assess", query=f"Why does {token} fail?")
    step(workspace, phase="assess", query="word " * 60 + token)
    long, secret = (row["question"] for row in call_tool(workspace, "runs.list", {})["runs"])
    assert len(long) <= 200
    assert long.endswith("word…")
    assert token not in secret
    assert secret.startswith("Why does")


@pytest.mark.requirement("triads-8", "triads-9")
def test_workflows_are_listed_with_description_phases_and_agents(workspace: Workspace, home: Any) -> None:
    agent = home / ".claude" / "agents" / "fixer.md"
    agent.parent.mkdir(parents=True)
    agent.write_text("---\nname: fixer\ndescription: Fixes bugs and debugs a regression.\n---\nFix it.\n")
    rows = {row["name"]: row for row in call_tool(workspace, "workflow.list", {})["workflows"]}
    assert rows["bug-fix"]["agents"] == ["fixer"]
    assert rows["bug-fix"]["phase_names"][0] == "retrieve"
    assert rows["bug-fix"]["phases"] == len(rows["bug-fix"]["phase_names"])
    assert all(row["description"] for row in rows.values())
    first = call_tool(workspace, "workflow.suggest", {"task": QUESTION})["suggestions"][0]
    assert (first["phases"], first["agents"]) == (rows["bug-fix"]["phase_names"], ["fixer"])
