"""Backtests of recorded runs on an edited workflow: first divergence of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Told = dict[str, Any]
    Tried = Callable[..., Told]

TRIAGE = """\
aurora: 1
name: triage
version: 1.0.0
start: look
on_error: sorry
phases:
  look:
    inputs: { query: { type: string, minLength: 1 } }
    uses: evidence.check
    with: { files: "[query]" }
    next_action:
      - { when: "holds", then: think }
      - { then: sorry }
  think:
    inputs: { query: { from: inputs.query } }
    prompt_template: Think about {{ query }}.
    answer: { type: object, required: [done], properties: { done: { type: boolean }, size: { type: integer } } }
    next_action: judge
  judge:
    inputs:
      done: { from: phases.think.answer.done, type: boolean }
      size: { from: phases.think.answer.size, type: integer, default: 0 }
    uses: evidence.check
    with: { files: "[]" }
    next_action:
      - { when: "inputs.done", then: end }
      - { then: think, max: 2, else: sorry }
  sorry:
    prompt_template: Say sorry.
    answer: { type: string }
    next_action: end
"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Workspace]:
    """Open a project with a workflow, a file, and three runs: a short, a looping and an open one."""
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "triage.yaml").write_text(TRIAGE, encoding="utf-8")
    (tmp_path / "here.md").write_text("# Here\n", encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        walk(workspace, "nowhere.md")
        walk(workspace, "here.md", {"done": False, "size": 3}, {"done": True, "size": 7})
        walk(workspace, "here.md", {"done": False, "size": 2})
        yield workspace


def walk(workspace: Workspace, query: str, *answers: Any) -> str:
    """Walk a run with these answers to its prompts, and return its id."""
    response = step_workflow(workspace, {"workflow": "triage", "phase": "look", "query": query})
    left = list(answers)
    while response["next_call"] and (left or "answer" not in response["next_call"]["needs"]):
        brought = {"answer": left.pop(0)} if "answer" in response["next_call"]["needs"] else {}
        response = step_workflow(workspace, {**response["next_call"]["arguments"], **brought})
        assert response["status"] == "complete", response["error"]
    return str(response["run"])


@pytest.fixture
def tried(opened: Workspace) -> Tried:
    """Edit the workflow in place, and backtest the runs."""
    path = opened.root / ".aurora" / "workflows" / "triage.yaml"

    def run(*edits: tuple[str, str], **given: Any) -> Told:
        text = TRIAGE
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        return call_tool(opened, "workflow.backtest", {"workflow": "triage", **given})

    return run


def test_an_unedited_workflow_repeats_every_run(tried: Tried) -> None:
    output = tried()
    assert (output["same"], output["diverged"], output["ok"], output["notes"]) == (3, 0, True, [])
    assert sorted((one["steps"], one["same"]) for one in output["tried"]) == [(2, 2), (4, 4), (5, 5)]


def test_titles_layout_and_another_order_of_phases_change_nothing(tried: Tried) -> None:
    output = tried(("  look:\n", "  # first\n  look:\n    title: Look\n"), ("version: 1.0.0", "version: 2.0.0"))
    assert (output["workflow"], output["ok"], output["notes"]) == ("triage@2.0.0", True, [])


def test_another_edge_is_reported_with_both_rules_and_the_deciding_value(tried: Tried) -> None:
    output = tried(('"inputs.done", then: end', '"inputs.done && inputs.size < `5`", then: end'))
    assert (output["same"], output["diverged"], output["ok"]) == (2, 1, False)
    [group] = output["groups"]
    parted = group["divergence"]
    assert (parted["kind"], parted["step"], parted["phase"]) == ("next_action", 5, "judge")
    assert parted["old"] == {"then": "end", "rule": 1, "when": "inputs.done"}
    assert parted["new"] == {"then": "think", "rule": 2}
    assert parted["values"] == {"inputs.done": True, "inputs.size": 7}
    assert parted["place"].startswith(".aurora/workflows/triage.yaml:") or "triage.yaml:" in parted["place"]


def test_a_bound_that_is_used_up_earlier_is_reported(tried: Tried) -> None:
    output = tried(("then: think, max: 2, else: sorry", "then: end"), ("on_error: sorry\n", ""))
    parted = {group["divergence"]["phase"]: group for group in output["groups"]}["judge"]
    assert parted["divergence"]["old"]["then"] == "think"
    assert parted["divergence"]["new"] == {"then": "end", "rule": 2}
    assert len(parted["runs"]) == 2


def test_a_removed_phase_diverges_at_the_edge_to_it(tried: Tried) -> None:
    think = TRIAGE[TRIAGE.index("  think:") : TRIAGE.index("  judge:")]
    output = tried(
        (think, ""),
        ("then: think }", "then: judge }"),
        ("then: think, max: 2, else: sorry", "then: sorry"),
        ("from: phases.think.answer.done, type: boolean", "type: boolean, default: true"),
        ("from: phases.think.answer.size, ", ""),
    )
    [group] = output["groups"]
    assert group["divergence"]["old"]["then"] == "think"
    assert (group["divergence"]["new"]["then"], len(group["runs"])) == ("judge", 2)


def test_a_removed_first_phase_is_reported(tried: Tried) -> None:
    output = tried(("  look:\n", "  see:\n"), ("start: look", "start: see"))
    [group] = output["groups"]
    assert (group["divergence"]["kind"], group["divergence"]["phase"], len(group["runs"])) == ("gone", "look", 3)


def test_a_renamed_phase_with_an_alias_does_not_diverge(tried: Tried) -> None:
    output = tried(("  think:\n", "  ponder:\n    aliases: [think]\n"), ("phases.think.", "phases.ponder."))
    assert output["ok"], output["groups"]


def test_a_recorded_answer_that_does_not_fit_is_reported_with_its_path(tried: Tried) -> None:
    output = tried(("size: { type: integer } }", "size: { type: integer, maximum: 2 } }"))
    [group] = output["groups"]
    parted = group["divergence"]
    assert (parted["kind"], parted["phase"]) == ("answer", "think")
    assert parted["faults"] == [{"path": "$.answer.size", "message": "must be at most 2, not 3"}]
    assert len(group["runs"]) == 1


def test_a_recorded_input_that_does_not_fit_is_reported_with_its_place(tried: Tried) -> None:
    output = tried(("minLength: 1 }", "maxLength: 8 }"))
    [group] = output["groups"]
    parted = group["divergence"]
    assert (parted["kind"], parted["faults"][0]["path"]) == ("inputs", "$.query")
    assert parted["place"].endswith("triage.yaml:8:15")


def test_a_recorded_result_that_does_not_fit_the_output_is_reported(tried: Tried) -> None:
    call = '    with: { files: "[query]" }\n'
    head = "{ state: { properties: { head: { minLength: 8 } } } }"
    output = tried((call, f"{call}    output: {{ required: [holds], properties: {head} }}\n"))
    [group] = output["groups"]
    assert (group["divergence"]["kind"], group["divergence"]["faults"][0]["path"]) == ("result", "$.state.head")
    assert len(group["runs"]) == 3


def test_an_added_tool_has_no_recorded_result(tried: Tried) -> None:
    output = tried(
        (
            "    prompt_template: Think",
            "    uses: evidence.check\n    with: { files: '[query]' }\n    prompt_template: Think",
        )
    )
    [group] = output["groups"]
    assert (group["divergence"]["kind"], group["divergence"]["phase"]) == ("result", "think")


def test_a_result_of_another_call_is_noted_and_the_run_continues(tried: Tried) -> None:
    output = tried(('with: { files: "[query]" }', 'with: { files: "[query, query]" }'))
    assert output["ok"]
    assert output["notes"] == [{"kind": "tool", "phase": "look", "runs": 3}]


def test_an_answer_to_another_prompt_is_noted(tried: Tried) -> None:
    output = tried(("Think about {{ query }}.", "Think hard about {{ query }}."))
    assert output["ok"]
    assert output["notes"] == [{"kind": "prompt", "phase": "think", "runs": 2}]


def test_a_prompt_that_fails_on_a_recorded_value_is_reported(tried: Tried) -> None:
    output = tried(("Think about {{ query }}.", "Think about {{ 7 / (query | length - 7) }}."))
    [group] = output["groups"]
    assert group["divergence"]["kind"] == "fails"
    assert "think" in group["divergence"]["faults"][0]["message"]


def test_an_edited_copy_in_a_file_is_backtested_without_the_original(opened: Workspace) -> None:
    copy = opened.root / "copy.yaml"
    copy.write_text(TRIAGE.replace('when: "holds"', 'when: "!holds"'), encoding="utf-8")
    output = call_tool(opened, "workflow.backtest", {"workflow": "copy.yaml"})
    assert output["diverged"] == 3
    assert call_tool(opened, "workflow.backtest", {"workflow": "triage"})["ok"]


def test_a_copy_under_another_name_lists_the_runs_that_exist_and_uses_them_on_request(opened: Workspace) -> None:
    (opened.root / "copy.yaml").write_text(TRIAGE.replace("name: triage", "name: triage2"), encoding="utf-8")
    output = call_tool(opened, "workflow.backtest", {"workflow": "copy.yaml"})
    assert (output["tried"], output["ok"]) == ([], True)
    assert '"triage"' in output["hint"]
    assert call_tool(opened, "workflow.backtest", {"workflow": "copy.yaml", "of": "triage"})["same"] == 3


def test_only_the_requested_number_of_newest_runs_is_backtested(opened: Workspace, tried: Tried) -> None:
    newest = walk(opened, "nowhere.md")
    assert [one["run"] for one in tried(runs=1)["tried"]] == [newest]


def test_nothing_is_run_or_written_by_a_backtest(opened: Workspace, tried: Tried) -> None:
    (opened.root / "here.md").unlink()
    before = call_tool(opened, "runs.list", {})
    assert tried()["ok"]
    assert call_tool(opened, "runs.list", {}) == before


def edited(opened: Workspace, *edits: tuple[str, str]) -> None:
    text = TRIAGE
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (opened.root / ".aurora" / "workflows" / "triage.yaml").write_text(text, encoding="utf-8")


FETCHING = (
    "  sorry:\n",
    "  fetch:\n    uses: mem.get\n    with: { ids: \"['code:000000000000']\" }\n    next_action: end\n  sorry:\n",
)
TO_FETCH = ("- { then: sorry }", "- { then: fetch }")


def test_a_recorded_tool_failure_takes_the_current_error_route(opened: Workspace, tried: Tried) -> None:
    edited(opened, FETCHING, TO_FETCH)
    first = step_workflow(opened, {"workflow": "triage", "phase": "look", "query": "no.md"})
    assert step_workflow(opened, first["next_call"]["arguments"])["status"] == "error"
    assert tried(FETCHING, TO_FETCH, runs=1)["same"] == 1
    elsewhere = (FETCHING[0], FETCHING[1].replace("  sorry:", "    on_error: judge\n  sorry:"))
    output = tried(
        elsewhere, TO_FETCH, ("type: boolean }\n      size", "type: boolean, default: true }\n      size"), runs=1
    )
    parted = output["groups"][0]["divergence"]
    assert (parted["old"], parted["new"]) == ({"then": "sorry"}, {"then": "judge"})
    nowhere = tried(FETCHING, TO_FETCH, ("on_error: sorry\n", ""), runs=1)
    assert nowhere["groups"][0]["divergence"]["kind"] == "fails"


def test_a_prompt_that_fails_no_longer_continues_the_run(opened: Workspace, tried: Tried) -> None:
    edited(opened, ("Think about {{ query }}.", "Think about {{ 7 / (query | length - 7) }}."))
    first = step_workflow(opened, {"workflow": "triage", "phase": "look", "query": "here.md"})
    assert step_workflow(opened, first["next_call"]["arguments"])["next_action"] == "sorry"
    [group] = tried(runs=1)["groups"]
    parted = group["divergence"]
    assert (parted["step"], parted["old"], parted["new"]["then"]) == (2, {"then": "sorry"}, "judge")


def test_a_workflow_with_errors_is_rejected_even_with_a_last_valid_version(tried: Tried) -> None:
    tried()
    with pytest.raises(Fault) as raised:
        tried(("start: look", "start: lok"))
    assert raised.value.code is Code.INVALID_INPUT
    assert "has errors" in raised.value.message


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("nowhere", Code.NOT_FOUND),
        ("nowhere.yaml", Code.NOT_FOUND),
        ("../up.yaml", Code.FORBIDDEN),
        ("here.md", Code.INVALID_INPUT),
        (".aurora", Code.NOT_FOUND),
    ],
)
def test_a_file_without_a_workflow_is_rejected(opened: Workspace, asked: str, code: Code) -> None:
    with pytest.raises(Fault) as raised:
        call_tool(opened, "workflow.backtest", {"workflow": asked})
    assert raised.value.code is code
