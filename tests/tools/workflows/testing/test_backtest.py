"""Recorded runs on an edited workflow: what still goes as it went, and where each first parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault
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
    """A project with the workflow, a file, and three runs: a short one, one that goes back once, and an open one."""
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
    """Walk a run with these answers to its prompts; its id."""
    response = step_workflow(workspace, {"workflow": "triage", "phase": "look", "query": query})
    left = list(answers)
    while response["next_call"] and (left or "answer" not in response["next_call"]["needs"]):
        brought = {"answer": left.pop(0)} if "answer" in response["next_call"]["needs"] else {}
        response = step_workflow(workspace, {**response["next_call"]["arguments"], **brought})
        assert response["status"] == "complete", response["error"]
    return str(response["run"])


@pytest.fixture
def tried(opened: Workspace) -> Tried:
    """Edit the workflow in place, and try the runs."""
    path = opened.root / ".aurora" / "workflows" / "triage.yaml"

    def run(*edits: tuple[str, str], **given: Any) -> Told:
        text = TRIAGE
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        return call_tool(opened, "workflow.backtest", {"workflow": "triage", **given})

    return run


def test_an_unedited_workflow_takes_every_run_as_it_went(tried: Tried) -> None:
    told = tried()
    assert (told["same"], told["diverged"], told["ok"], told["notes"]) == (3, 0, True, [])
    assert sorted((one["steps"], one["same"]) for one in told["tried"]) == [(2, 2), (4, 4), (5, 5)]


def test_titles_layout_and_another_order_of_phases_change_nothing(tried: Tried) -> None:
    told = tried(("  look:\n", "  # first\n  look:\n    title: Look\n"), ("version: 1.0.0", "version: 2.0.0"))
    assert (told["workflow"], told["ok"], told["notes"]) == ("triage@2.0.0", True, [])


def test_another_edge_is_told_with_both_rules_and_the_value_that_decided(tried: Tried) -> None:
    told = tried(('"inputs.done", then: end', '"inputs.done && inputs.size < `5`", then: end'))
    assert (told["same"], told["diverged"], told["ok"]) == (2, 1, False)
    [group] = told["groups"]
    parted = group["divergence"]
    assert (parted["kind"], parted["step"], parted["phase"]) == ("next_action", 5, "judge")
    assert parted["old"] == {"then": "end", "rule": 1, "when": "inputs.done"}
    assert parted["new"] == {"then": "think", "rule": 2}
    assert parted["values"] == {"inputs.done": True, "inputs.size": 7}
    assert parted["place"].startswith(".aurora/workflows/triage.yaml:") or "triage.yaml:" in parted["place"]


def test_a_bound_that_is_used_up_earlier_says_so(tried: Tried) -> None:
    told = tried(("then: think, max: 2, else: sorry", "then: end"), ("on_error: sorry\n", ""))
    parted = {group["divergence"]["phase"]: group for group in told["groups"]}["judge"]
    assert parted["divergence"]["old"]["then"] == "think"
    assert parted["divergence"]["new"] == {"then": "end", "rule": 2}
    assert len(parted["runs"]) == 2


def test_a_phase_that_is_gone_parts_the_runs_at_the_edge_that_led_to_it(tried: Tried) -> None:
    think = TRIAGE[TRIAGE.index("  think:") : TRIAGE.index("  judge:")]
    told = tried(
        (think, ""),
        ("then: think }", "then: judge }"),
        ("then: think, max: 2, else: sorry", "then: sorry"),
        ("from: phases.think.answer.done, type: boolean", "type: boolean, default: true"),
        ("from: phases.think.answer.size, ", ""),
    )
    [group] = told["groups"]
    assert group["divergence"]["old"]["then"] == "think"
    assert (group["divergence"]["new"]["then"], len(group["runs"])) == ("judge", 2)


def test_a_first_phase_that_is_gone_is_told(tried: Tried) -> None:
    told = tried(("  look:\n", "  see:\n"), ("start: look", "start: see"))
    [group] = told["groups"]
    assert (group["divergence"]["kind"], group["divergence"]["phase"], len(group["runs"])) == ("gone", "look", 3)


def test_a_phase_that_kept_its_old_name_as_an_alias_is_no_divergence(tried: Tried) -> None:
    told = tried(("  think:\n", "  ponder:\n    aliases: [think]\n"), ("phases.think.", "phases.ponder."))
    assert told["ok"], told["groups"]


def test_a_recorded_answer_that_no_longer_fits_is_told_with_its_path(tried: Tried) -> None:
    told = tried(("size: { type: integer } }", "size: { type: integer, maximum: 2 } }"))
    [group] = told["groups"]
    parted = group["divergence"]
    assert (parted["kind"], parted["phase"]) == ("answer", "think")
    assert parted["faults"] == [{"path": "$.answer.size", "message": "must be at most 2, not 3"}]
    assert len(group["runs"]) == 1


def test_a_recorded_input_that_no_longer_fits_is_told_with_its_place(tried: Tried) -> None:
    told = tried(("minLength: 1 }", "maxLength: 8 }"))
    [group] = told["groups"]
    parted = group["divergence"]
    assert (parted["kind"], parted["faults"][0]["path"]) == ("inputs", "$.query")
    assert parted["place"].endswith("triage.yaml:8:15")


def test_a_recorded_result_that_no_longer_fits_the_output_is_told(tried: Tried) -> None:
    call = '    with: { files: "[query]" }\n'
    told = tried((call, f"{call}    output: {{ required: [holds], properties: {{ head: {{ minLength: 8 }} }} }}\n"))
    [group] = told["groups"]
    assert (group["divergence"]["kind"], group["divergence"]["faults"][0]["path"]) == ("result", "$.head")
    assert len(group["runs"]) == 3


def test_a_tool_where_there_was_none_has_no_recorded_result(tried: Tried) -> None:
    told = tried(
        (
            "    prompt_template: Think",
            "    uses: evidence.check\n    with: { files: '[query]' }\n    prompt_template: Think",
        )
    )
    [group] = told["groups"]
    assert (group["divergence"]["kind"], group["divergence"]["phase"]) == ("result", "think")


def test_a_result_that_was_made_by_another_call_is_noted_and_the_run_goes_on(tried: Tried) -> None:
    told = tried(('with: { files: "[query]" }', 'with: { files: "[query, query]" }'))
    assert told["ok"]
    assert told["notes"] == [{"kind": "tool", "phase": "look", "runs": 3}]


def test_an_answer_to_another_prompt_is_noted(tried: Tried) -> None:
    told = tried(("Think about {{ query }}.", "Think hard about {{ query }}."))
    assert told["ok"]
    assert told["notes"] == [{"kind": "prompt", "phase": "think", "runs": 2}]


def test_a_prompt_that_fails_over_a_recorded_value_is_told(tried: Tried) -> None:
    told = tried(("Think about {{ query }}.", "Think about {{ 7 / (query | length - 7) }}."))
    [group] = told["groups"]
    assert group["divergence"]["kind"] == "fails"
    assert "think" in group["divergence"]["faults"][0]["message"]


def test_an_edited_copy_in_a_file_is_tried_and_the_original_is_left_alone(opened: Workspace) -> None:
    copy = opened.root / "copy.yaml"
    copy.write_text(TRIAGE.replace('when: "holds"', 'when: "!holds"'), encoding="utf-8")
    told = call_tool(opened, "workflow.backtest", {"workflow": "copy.yaml"})
    assert told["diverged"] == 3
    assert call_tool(opened, "workflow.backtest", {"workflow": "triage"})["ok"]


def test_a_copy_under_another_name_says_whose_runs_there_are_and_takes_them_when_told(opened: Workspace) -> None:
    (opened.root / "copy.yaml").write_text(TRIAGE.replace("name: triage", "name: triage2"), encoding="utf-8")
    told = call_tool(opened, "workflow.backtest", {"workflow": "copy.yaml"})
    assert (told["tried"], told["ok"]) == ([], True)
    assert '"triage"' in told["hint"]
    assert call_tool(opened, "workflow.backtest", {"workflow": "copy.yaml", "of": "triage"})["same"] == 3


def test_only_so_many_of_the_newest_runs_are_tried(opened: Workspace, tried: Tried) -> None:
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


def test_a_recorded_failure_of_a_tool_takes_the_error_route_that_there_is_now(opened: Workspace, tried: Tried) -> None:
    edited(opened, FETCHING, TO_FETCH)
    first = step_workflow(opened, {"workflow": "triage", "phase": "look", "query": "no.md"})
    assert step_workflow(opened, first["next_call"]["arguments"])["status"] == "error"
    assert tried(FETCHING, TO_FETCH, runs=1)["same"] == 1
    elsewhere = (FETCHING[0], FETCHING[1].replace("  sorry:", "    on_error: judge\n  sorry:"))
    told = tried(
        elsewhere, TO_FETCH, ("type: boolean }\n      size", "type: boolean, default: true }\n      size"), runs=1
    )
    parted = told["groups"][0]["divergence"]
    assert (parted["old"], parted["new"]) == ({"then": "sorry"}, {"then": "judge"})
    nowhere = tried(FETCHING, TO_FETCH, ("on_error: sorry\n", ""), runs=1)
    assert nowhere["groups"][0]["divergence"]["kind"] == "fails"


def test_a_prompt_that_failed_and_no_longer_does_leads_on(opened: Workspace, tried: Tried) -> None:
    edited(opened, ("Think about {{ query }}.", "Think about {{ 7 / (query | length - 7) }}."))
    first = step_workflow(opened, {"workflow": "triage", "phase": "look", "query": "here.md"})
    assert step_workflow(opened, first["next_call"]["arguments"])["next_action"] == "sorry"
    [group] = tried(runs=1)["groups"]
    parted = group["divergence"]
    assert (parted["step"], parted["old"], parted["new"]["then"]) == (2, {"then": "sorry"}, "judge")


def test_a_workflow_with_errors_is_refused_even_while_its_last_good_edition_stands_in(tried: Tried) -> None:
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
def test_what_is_no_workflow_is_refused(opened: Workspace, asked: str, code: Code) -> None:
    with pytest.raises(Fault) as raised:
        call_tool(opened, "workflow.backtest", {"workflow": asked})
    assert raised.value.code is code
