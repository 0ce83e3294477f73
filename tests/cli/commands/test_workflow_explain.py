"""`aur workflow explain`: why each branch of a run was taken, and why the others were not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

BREW = """\
aurora: 1
name: brew
version: 1.0.0
start: taste
on_error: sorry
phases:
  taste:
    inputs:
      cups: { type: integer }
      friends: { type: array, items: { type: string }, default: [] }
    prompt_template: Taste {{ cups }} cups.
    answer: &verdict
      type: object
      required: [score]
      properties: { score: { type: integer } }
    next_action: judge
  judge:
    inputs:
      score: { from: phases.taste.answer.score, type: integer }
      cups: { from: inputs.cups, type: integer }
      friends: { from: phases.taste.inputs.friends, type: array, items: { type: string } }
    prompt_template: Pour for {{ friend }}.
    answer: { type: string }
    for_each: { in: inputs.friends, as: friend, max: 2 }
    next_action:
      - { when: "inputs.score >= `12` && length(inputs.friends) > `9`", then: end }
      - { when: "inputs.score < `5`", then: taste, max: 1, else: end }
      - { when: "inputs.cups == `0` || inputs.score == `7`", then: end }
      - { then: sorry }
  sorry:
    prompt_template: Say sorry.
    answer: { type: string }
    next_action: end
"""


@pytest.fixture
def brew(project: Path) -> Path:
    """A project with a workflow that goes back, asks for each, and ends."""
    file = project / ".aurora" / "workflows" / "brew.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(BREW, encoding="utf-8")
    return file


def step(aur: Aur, phase: str, *words: str, **more: Any) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(aur("workflow", "step", phase, *words, "--json", **more).stdout)
    assert envelope["status"] == "complete", envelope
    return envelope


def tasted(aur: Aur, score: int, friends: str = "[]") -> str:
    """A run that has judged a score; its id."""
    first = step(aur, "taste", "--workflow", "brew", "--input", "cups=3", "--input", f"friends={friends}")
    run = str(first["run"])
    step(aur, "judge", "--run", run, "--answer", "-", input=json.dumps({"score": score}))
    return run


def explained(aur: Aur, *words: str) -> dict[str, Any]:
    done = aur("workflow", "explain", *words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.usefixtures("brew")
def test_each_rule_shows_its_verdict_place_and_parts(aur: Aur) -> None:
    run = tasted(aur, 7)

    _, judged = explained(aur, run)["steps"]

    assert [rule["verdict"] for rule in judged["rules"]] == ["false", "false", "fired", "not reached"]
    line = BREW[: BREW.index('{ when: "inputs.cups')].count("\n") + 1
    assert judged["rules"][2]["place"] == f".aurora/workflows/brew.yaml:{line}:9"
    assert judged["rules"][0]["parts"] == [
        {"part": "inputs.score >= `12`", "value": False},
        {"part": "inputs.score", "depth": 1, "value": 7},
        {"part": "length(inputs.friends) > `9`", "state": "skipped"},
    ]
    assert [(part["part"], part.get("value")) for part in judged["rules"][2]["parts"]] == [
        ("inputs.cups == `0`", False),
        ("inputs.cups", 3),
        ("inputs.score == `7`", True),
        ("inputs.score", 7),
    ]
    assert "parts" not in judged["rules"][3]


@pytest.mark.usefixtures("brew")
def test_a_way_back_tells_how_often_it_was_taken_and_when_it_is_spent(aur: Aur) -> None:
    run = tasted(aur, 2)
    step(aur, "taste", "--run", run, "--step", "3")
    step(aur, "judge", "--run", run, "--step", "4", "--answer", "-", input='{"score": 3}')

    rules = [shown["rules"] for shown in explained(aur, run)["steps"] if shown["phase"] == "judge"]

    assert (rules[0][1]["verdict"], rules[0][1]["note"]) == ("fired", "taken 1 of 1 times")
    assert (rules[1][1]["verdict"], rules[1][1]["then"]) == ("spent", "end")
    assert rules[1][1]["parts"] == [{"part": "inputs.score", "value": 3}]


@pytest.mark.usefixtures("brew")
def test_what_was_asked_for_each_item_is_counted(aur: Aur) -> None:
    run = tasted(aur, 7, '["Ada", "Bo", "Cy"]')

    assert explained(aur, run, "--step", "2")["steps"][0]["items"] == (
        "inputs.friends gave 3 items; 2 asked for, 1 later"
    )


@pytest.mark.usefixtures("brew")
def test_an_open_run_tells_what_may_come_and_what_it_hangs_on(aur: Aur) -> None:
    first = step(aur, "taste", "--workflow", "brew", "--input", "cups=3")

    coming = explained(aur)["coming"]

    assert first["next_action"] == coming["phase"] == "judge"
    assert coming["needs"] == ["answer"]
    assert {rule["verdict"] for rule in coming["rules"]} == {"open"}
    assert coming["rules"][1]["note"] == "at most once, else end"


def test_after_an_edit_the_rules_are_those_that_were_recorded(aur: Aur, brew: Path) -> None:
    run = tasted(aur, 7)
    brew.write_text(BREW.replace("inputs.cups == `0`", "inputs.cups == `1`"), encoding="utf-8")

    shown = explained(aur, run)

    assert shown["file"].startswith("the workflow was edited after the start of this run")
    first, judged = shown["steps"]
    assert "edited" not in first
    assert judged["edited"] is True
    assert judged["rules"][2]["when"] == "inputs.cups == `0` || inputs.score == `7`"
    assert "place" not in judged["rules"][2]
    assert judged["rules"][0]["place"]
    assert len(judged["rules"]) == 3


def test_a_run_whose_workflow_is_gone_is_still_explained(aur: Aur, brew: Path) -> None:
    run = tasted(aur, 7)
    brew.unlink()

    shown = explained(aur, run)

    assert shown["file"].startswith('there is no workflow "brew"')
    assert [rule["verdict"] for rule in shown["steps"][1]["rules"]] == ["false", "false", "fired"]
    assert shown["steps"][1]["rules"][2]["parts"]


def test_a_phase_that_failed_tells_where_its_failure_led(aur: Aur, brew: Path) -> None:
    brew.write_text(
        BREW.replace("Pour for {{ friend }}", "Pour {{ 9 // (cups - 3) }} for {{ friend }}"), encoding="utf-8"
    )
    first = step(aur, "taste", "--workflow", "brew", "--input", "cups=3", "--input", 'friends=["Ada"]')
    aur("workflow", "step", "judge", "--run", first["run"], "--answer", "-", input='{"score": 7}')

    judged = explained(aur, first["run"])["steps"][-1]

    assert (judged["phase"], judged["status"], judged["next_action"]) == ("judge", "error", "sorry")
    assert {rule["verdict"] for rule in judged["rules"][:-1]} == {"not reached"}
    assert judged["rules"][-1]["rule"] == 0
    assert judged["rules"][-1]["note"].startswith("WORKFLOW_ERROR: ")
    assert judged["rules"][-1]["place"] == ".aurora/workflows/brew.yaml:5:1"


@pytest.mark.usefixtures("brew")
def test_a_person_reads_it_as_sentences(aur: Aur) -> None:
    run = tasted(aur, 7)

    lines = aur("workflow", "explain", run).stdout.splitlines()

    assert lines[0] == f"run {run}  brew@1.0.0  ended"
    assert "2. judge led to end" in lines
    assert "       length(inputs.friends) > `9` was not evaluated: the part before it had decided" in lines
    assert any(line.startswith("   · rule 4, to sorry: not reached, a rule before it held") for line in lines)


@pytest.mark.usefixtures("brew")
def test_a_fork_names_the_run_that_it_left(aur: Aur) -> None:
    run = tasted(aur, 7)
    fork = step(aur, "taste", "--run", run, "--input", "cups=9")["run"]

    assert explained(aur, fork)["forked_from"] == f"{run}:1"


@pytest.mark.parametrize(("words", "said"), [(("nope",), 'there is no run "nope"'), ((), "there is no run yet")])
def test_an_unknown_run_is_reported(aur: Aur, words: tuple[str, ...], said: str) -> None:
    done = aur("workflow", "explain", *words)

    assert done.returncode == 1
    assert done.stderr.startswith(f"aur: {said}")


EACH = """\
aurora: 2
name: each
version: 1.0.0
start: list
phases:
  list:
    prompt_template: List the tasks.
    answer: { type: array, items: { type: string } }
    next_action: work
  work:
    inputs: { tasks: { from: phases.list.answer, type: array } }
    for_each: { in: inputs.tasks, as: task }
    workflow: task
    with: { task: task }
    next_action: rate
  rate:
    inputs: { tasks: { from: phases.list.answer, type: array } }
    for_each: { in: inputs.tasks, as: task, max: 2 }
    prompt_template: Rate {{ task }}.
    answer: { type: integer }
    next_action:
      - { when: "length(answers) == length(inputs.tasks)", then: end }
      - { then: list, max: 1, else: end }
"""
TASK = """\
aurora: 2
name: task
version: 1.0.0
start: do
phases:
  do:
    inputs: { task: { type: string } }
    prompt_template: Do {{ task }}.
    answer: { type: string }
    next_action:
      - { when: "inputs.task == answer", then: check }
      - { then: end }
  check:
    prompt_template: Check it.
    answer: { type: string }
    next_action: end
"""


def walk_each(aur: Aur, project: Path, answers: list[str]) -> str:
    """Answer the prompts of `each` for three tasks; return the run."""
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    for name, text in (("each", EACH), ("task", TASK)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    run = str(step(aur, "list", "--workflow", "each")["run"])
    step(aur, "work", "--run", run, "--answer", "-", input='["a", "b", "c"]')
    for answer in answers:
        seq = len(explained(aur, run)["steps"]) + 1
        step(aur, "continue", "--run", run, "--step", str(seq), "--answer", "-", input=answer)
    return run


def test_steps_of_a_workflow_within_a_phase_are_explained_by_its_own_file(aur: Aur, project: Path) -> None:
    run = walk_each(aur, project, ['"a"', '"fine"', '"b"'])

    found = explained(aur, run)

    assert not any(shown.get("edited") for shown in found["steps"])
    entered = [shown["items"] for shown in found["steps"] if shown["phase"] == "work"]
    assert entered == ["inputs.tasks gave 3 items", "item 2"]
    assert "2. work began another workflow" in aur("workflow", "explain", run).stdout
    assert "   with    task: a" in aur("runs", "show", run).stdout
    answered = [shown for shown in found["steps"] if shown["phase"] == "work/do" and shown.get("next_action")]
    assert [rule["verdict"] for rule in answered[0]["rules"]] == ["fired", "not reached"]
    assert answered[0]["rules"][0]["place"].startswith(".aurora/workflows/task.yaml:")
    assert [part.get("value") for part in answered[0]["rules"][0]["parts"]] == ["a", "a"]
    assert (found["coming"]["phase"], found["coming"]["needs"]) == ("work/check", ["answer"])


def test_later_items_of_a_list_count_what_is_left_and_decide_by_the_inputs(aur: Aur, project: Path) -> None:
    run = walk_each(aur, project, ['"x"', '"x"', '"x"', "[1, 2]", "[3]"])

    rated = [shown for shown in explained(aur, run)["steps"] if shown["phase"] == "rate"]

    assert [shown.get("items", "") for shown in rated] == [
        "inputs.tasks gave 3 items; 2 asked for, 1 later",
        "1 more asked for",
        "",
    ]
    assert rated[-1]["rules"][0]["verdict"] == "fired"
    assert [part.get("value") for part in rated[-1]["rules"][0]["parts"]][:2] == [3, [1, 2, 3]]


def test_an_edit_of_the_workflow_within_a_phase_shows_at_its_steps(aur: Aur, project: Path) -> None:
    run = walk_each(aur, project, ['"a"'])
    file = project / ".aurora" / "workflows" / "task.yaml"
    file.write_text(TASK.replace("== answer", "!= answer"), encoding="utf-8")

    steps = explained(aur, run)["steps"]

    assert {shown["phase"] for shown in steps if shown.get("edited")} == {"work/do"}
