"""A long run is shown in pages that fit into one response and contain every step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.mcp.offers import read_resource
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEPS = 120


def kept(seq: int) -> dict[str, Any]:
    """A step as the journal keeps it."""
    return {
        "seq": seq,
        "status": "complete",
        "inputs": {"query": f"question {seq} " * 40, "subgoals": [{"id": f"s{seq}"}, {"id": "other"}]},
        "brought": [{"answer": "because " * 200}],
        "result": {"verdict": "PASS", "score": 0.9, "empty": [], "nothing": None},
        "asks": None,
        "edge": {"token": "verify", "target": "verify", "rule": 0, "spent": False, "say": "", "early_exit": False},
        "decision": [{"rule": 1, "then": "verify", "fired": True, "when": "score > `0.5`"}],
        "response": {"metadata": {"duration_ms": 1.5}},
    }


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A project with one long run."""
    head = {"workflow": "soar", "version": "1.0.0", "status": "open", "phase": "verify", "next": "verify"}
    with Workspace(tmp_path) as opened:
        opened.memory.journal.create("long", "soar", head, [("verify", kept(seq)) for seq in range(1, STEPS + 1)])
        yield opened


def test_pages_fit_into_a_response_and_contain_every_step(workspace: Workspace) -> None:
    seen: list[int] = []
    offset: int | None = 0
    while offset is not None:
        page = call_tool(workspace, "runs.show", {"run": "long", "offset": offset})
        assert len(json.dumps(page, separators=(",", ":"), ensure_ascii=False)) < 19_000
        assert page["total_steps"] == STEPS
        seen += [step["seq"] for step in page["steps"]]
        offset = page.get("next_offset")

    assert seen == list(range(1, STEPS + 1))


def test_in_a_page_each_value_is_one_short_line(workspace: Workspace) -> None:
    step = call_tool(workspace, "runs.show", {"run": "long"})["steps"][0]

    assert len(step["inputs"]["query"]) == 120
    assert step["inputs"]["query"].endswith("…")
    assert step["inputs"]["subgoals"] == "2: s1, other"
    assert step["result"] == {"verdict": "PASS", "score": 0.9}


@pytest.mark.requirement("aura-34")
def test_one_step_is_shown_with_complete_values(workspace: Workspace) -> None:
    (step,) = call_tool(workspace, "runs.show", {"run": "long", "step": 7})["steps"]

    assert step["inputs"] == kept(7)["inputs"]
    assert step["answer"] == kept(8)["brought"][0]
    assert step["decision"] == kept(7)["decision"]
    assert step["duration_ms"] == 1.5


def test_the_output_tokens_and_budget_of_a_run_are_shown(workspace: Workspace) -> None:
    head = {"workflow": "soar", "version": "1.0.0", "status": "ended", "tokens": 5312, "budget": 5000}
    output = {"answer": "because " * 1000, "confidence": 0.5}
    workspace.memory.journal.create("ended", "soar", {**head, "output": output}, [("verify", kept(1))] * STEPS)
    shown = call_tool(workspace, "runs.show", {"run": "ended"})

    assert (shown["tokens_used"], shown["token_budget"]) == (5312, 5000)
    assert shown["output"]["answer"] == f"{output['answer'][:6000]}… (8,000 characters)"
    assert shown["output"]["confidence"] == 0.5
    assert json.loads(read_resource(workspace, "aurora://run/ended")["text"])["tokens_used"] == 5312
    assert len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False)) < 19_000


def test_a_run_of_an_earlier_version_has_no_tokens(workspace: Workspace) -> None:
    shown = call_tool(workspace, "runs.show", {"run": "long"})

    assert {"tokens_used", "token_budget", "output"}.isdisjoint(shown)


def test_an_unknown_run_is_not_found(workspace: Workspace) -> None:
    with pytest.raises(Fault) as caught:
        call_tool(workspace, "runs.show", {"run": "other"})

    assert caught.value.code is Code.NOT_FOUND
    assert caught.value.help == "`aur runs list` shows the runs of this project."


CAREFUL = """
aurora: 1
name: careful
version: 1.0.0
start: ask
phases:
  ask:
    prompt_template: Which file?
    answer: { type: string }
    next_action: look
  look:
    inputs: { which: { from: phases.ask.answer, type: string } }
    uses: mem.get
    with: { path: which, lines: "'1-3'" }
    next_action: end
    on_error: sorry
  sorry:
    uses: mem.stats
    next_action: end
"""


def _walk_to_error(workspace: Workspace) -> str:
    folder = workspace.root / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "careful.yaml").write_text(CAREFUL, encoding="utf-8")
    asked = call_tool(workspace, "workflow.step", {"phase": "ask", "workflow": "careful"})
    call = {**asked["next_call"]["arguments"], "answer": "/etc/hosts"}
    failed = call_tool(workspace, "workflow.step", call)
    call_tool(workspace, "workflow.step", failed["next_call"]["arguments"])
    return str(asked["run"])


def test_a_run_that_took_on_error_is_shown_on_every_surface(workspace: Workspace) -> None:
    run = _walk_to_error(workspace)

    steps = call_tool(workspace, "runs.show", {"run": run})["steps"]
    resource = read_resource(workspace, f"aurora://run/{run}")["text"]

    assert [step["phase"] for step in steps] == ["ask", "look", "sorry"]
    assert steps[1]["decision"] == [{"reason": "on_error", "then": "sorry", "fired": True}]
    assert steps[1]["error"]["code"]
    assert json.loads(resource)["steps"][1]["decision"] == steps[1]["decision"]


def test_an_answer_is_under_the_phase_that_asked_with_the_person_who_gave_it(workspace: Workspace) -> None:
    run = _walk_to_error(workspace)
    first, *others = call_tool(workspace, "runs.show", {"run": run})["steps"]
    assert (first["asked"], first["answer"]) == (True, {"answers": "/etc/hosts"})
    assert not any("answer" in step for step in others)

    head = {"workflow": "soar", "version": "1.0.0", "status": "open", "phase": "gate", "next": "gate"}
    asks = {**kept(1), "brought": [], "asks": 0}
    gate = {**kept(2), "kind": "answer", "by": {"person": "ada", "how": "aur runs approve"}, "brought": [{"ok": True}]}
    workspace.memory.journal.create("gated", "soar", head, [("gate", asks), ("gate", gate)])
    shown, answered = call_tool(workspace, "runs.show", {"run": "gated"})["steps"]
    assert ("kind" in shown, answered["kind"]) == (False, "answer")
    assert (shown["answer"], shown["by"]) == ({"ok": True}, {"person": "ada", "how": "aur runs approve"})


@pytest.mark.parametrize("entry", [{"reason": "on_decline", "then": "end", "fired": True, "later": 1}, {}])
def test_a_decision_of_a_later_version_is_shown_as_far_as_it_is_known(
    workspace: Workspace, entry: dict[str, Any]
) -> None:
    head = {"workflow": "soar", "version": "9.0.0", "status": "open", "phase": "verify", "next": "verify"}
    workspace.memory.journal.create("later", "soar", head, [("verify", {**kept(1), "decision": [entry]})])

    (step,) = call_tool(workspace, "runs.show", {"run": "later"})["steps"]

    assert step["decision"][0].get("reason", "") == entry.get("reason", "")


GATE = """
aurora: 2
name: gate
version: 1.0.0
start: plan
phases:
  plan:
    inputs: { what: { type: string }, depth: { type: integer, default: 2 } }
    prompt_template: Plan {{ what }}.
    answer: { type: string }
    next_action: ask
  ask:
    inputs:
      plan: { from: phases.plan.answer, type: string }
      what: { from: phases.plan.inputs.what, type: string, override: true }
      note: { type: string, optional: true }
    person: { message: "{{ plan }}?", form: { sure: { type: boolean } } }
    next_action: end
"""


def test_a_step_tells_where_its_inputs_came_from_and_that_the_person_was_asked(tmp_path: Path) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "gate.yaml").write_text(GATE, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        first = step_workflow(workspace, {"phase": "plan", "workflow": "gate", "what": "a"})
        step_workflow(workspace, {**first["next_call"]["arguments"], "answer": "x", "what": "b"})
        plan, ask = call_tool(workspace, "runs.show", {"run": first["run"]})["steps"]

    assert plan["origins"] == {"what": "sent", "depth": "default"}
    assert ask["origins"] == {"what": "sent", "plan": "recalled"}
    assert (plan["asked"], plan.get("asked_person")) == (True, None)
    assert (ask.get("asked"), ask["asked_person"]) == (None, True)


def test_a_step_of_an_earlier_version_does_not_guess_where_its_inputs_came_from(workspace: Workspace) -> None:
    (step,) = call_tool(workspace, "runs.show", {"run": "long", "step": 7})["steps"]

    assert "origins" not in step
