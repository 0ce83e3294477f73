"""`aur runs approve`: a person answers at a real terminal, and nothing else can."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person:
      message: "Delete {{ what }}?"
      form:
        sure: { type: boolean }
        copies: { type: integer, minimum: 1, maximum: 3, default: 2 }
      on_decline: stop
    next_action:
      - { when: answer.sure, then: act }
      - { then: stop }
  act:
    inputs: { copies: { from: phases.ask.answer.copies } }
    prompt_template: Delete it, keep {{ copies }}.
    answer: { type: string }
    next_action: end
  stop:
    prompt_template: Stop.
    answer: { type: string }
    next_action: end
"""


@pytest.fixture
def waiting(aur: Aur, project: Path) -> str:
    """A run that waits for the person."""
    file = project / ".aurora" / "workflows" / "gate.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(GATE, encoding="utf-8")
    begun = aur("workflow", "step", "ask", "--workflow", "gate", "--input", "what=all\u200b", "--json")
    return str(json.loads(begun.stdout)["run"])


def show(aur: Aur, run: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(aur("runs", "show", run, "--json").stdout)
    return shown


def test_a_person_fills_in_the_form_and_the_run_shows_who_and_how(aur: Aur, terminal: Any, waiting: str) -> None:
    code, shown = terminal("runs", "approve", waiting, answer="maybe\ny\n9\n3\ny\n")
    assert code == 0, shown
    assert "Delete all\\u200b?" in shown
    assert "Your answer is stored." in shown
    first = show(aur, waiting)["steps"][0]
    assert first["by"]["how"] == "terminal"
    assert first["by"]["who"]
    assert json.loads(aur("workflow", "step", "continue", "--run", waiting, "--json").stdout)["prompt_template"] == (
        "Delete it, keep 3."
    )


def test_a_field_can_come_with_the_command_and_a_default_stands_for_nothing(
    aur: Aur, terminal: Any, waiting: str
) -> None:
    code, shown = terminal("runs", "approve", "last", "--set", "sure=true", answer="\ny\n")
    assert code == 0, shown
    assert show(aur, waiting)["steps"][2]["inputs"] == {"copies": 2}


def test_a_value_of_the_command_that_does_not_fit_is_refused_before_any_question(terminal: Any, waiting: str) -> None:
    code, shown = terminal("runs", "approve", waiting, "--set", "sure=maybe")
    assert code == 1
    assert "--set does not fit the form: sure must be boolean, not string" in shown
    assert "copies" not in shown


def test_the_form_shows_what_an_empty_line_means(terminal: Any, waiting: str) -> None:
    _, shown = terminal("runs", "approve", waiting, answer="y\n\ny\n")
    assert "; empty is 2)" in shown


def test_a_step_at_the_terminal_shows_the_question_and_how_to_answer_it(aur: Aur, waiting: str) -> None:
    shown = aur("workflow", "step", "ask", "--workflow", "gate", "--input", "what=all").stdout
    assert "only the person can answer\nDelete all?\n  sure: boolean\n  copies: integer, by default 2\n" in shown
    assert "answer: aur runs approve " in shown
    assert "next_call" not in shown
    assert waiting not in shown


def test_a_workflow_shows_its_gate(aur: Aur, waiting: str) -> None:
    shown = aur("workflow", "show", "gate").stdout
    assert "   asks  the person: Delete {{ what }}?\n         with the fields sure, copies\n" in shown
    assert "   → stop when the person declines\n" in shown
    assert waiting not in shown


def test_a_person_who_declines_takes_the_route_of_the_phase(aur: Aur, terminal: Any, waiting: str) -> None:
    code, shown = terminal("runs", "approve", waiting, "--decline", answer="y\n")
    assert (code, "You declined." in shown) == (0, True), shown
    assert [step["phase"] for step in show(aur, waiting)["steps"]] == ["ask", "ask", "stop"]


@pytest.mark.parametrize("answer", ["y\n2\nn\n", "y\n2\n\n", "\x04"])
def test_without_a_yes_at_the_end_the_run_waits_on(aur: Aur, terminal: Any, waiting: str, answer: str) -> None:
    code, shown = terminal("runs", "approve", waiting, answer=answer)
    assert (code, "the run waits on" in shown) == (1, True), shown
    assert show(aur, waiting)["status"] == "waiting"


@pytest.mark.parametrize("words", [(), ("--set", "sure=true"), ("--decline",), ("--json",)])
def test_without_a_terminal_nobody_is_asked(aur: Aur, waiting: str, words: tuple[str, ...]) -> None:
    refused = aur("runs", "approve", waiting, *words, input="y\ny\ny\n")
    assert refused.returncode == 1
    assert "not a terminal: only a person can answer this" in refused.stdout + refused.stderr
    assert show(aur, waiting)["status"] == "waiting"


def test_without_a_run_those_that_wait_are_listed(aur: Aur, waiting: str) -> None:
    listed = aur("runs", "approve").stdout
    assert f"{waiting}  gate@1.0.0  Delete all" in listed
    assert [one["run"] for one in json.loads(aur("runs", "approve", "--json").stdout)["runs"]] == [waiting]


def test_a_run_that_does_not_wait_is_refused(terminal: Any, waiting: str) -> None:
    assert terminal("runs", "approve", waiting, "--decline", answer="y\n")[0] == 0
    code, shown = terminal("runs", "approve", waiting)
    assert (code, "does not wait for a person" in shown) == (1, True)
    code, shown = terminal("runs", "approve", "nothere")
    assert (code, 'there is no run "nothere"' in shown) == (1, True)


def test_a_run_shows_that_the_person_was_asked_and_where_its_inputs_came_from(
    aur: Aur, terminal: Any, waiting: str
) -> None:
    before = aur("runs", "show", waiting).stdout
    assert "waits for you: your answer decides, or stop if you decline" in before
    assert "prompt sent to the assistant" not in before
    assert "sent: what" in before
    assert terminal("runs", "approve", waiting, "--set", "sure=true", answer="\ny\n")[0] == 0
    after = aur("runs", "show", waiting).stdout
    assert "1. ask  approved by " in after
    assert " in a terminal " in after
    assert after.index("recalled: copies") < after.index("prompt sent to the assistant")


def test_an_answer_of_a_step_is_not_dropped_silently(aur: Aur, waiting: str) -> None:
    done = aur("workflow", "step", "--run", waiting, "--answer", '{"sure": true}')

    assert done.returncode == 1
    assert f'run "{waiting}" waits for the person, so this answer was not taken' in done.stderr
    assert f"aur runs approve {waiting}" in done.stderr
    assert show(aur, waiting)["status"] == "waiting"


LAST_WORD = """\
aurora: 2
name: last
version: 1.0.0
start: ask
phases:
  ask:
    person: { message: "Publish it?", on_decline: stop }
    next_action: end
  stop:
    prompt_template: Say what to change.
    answer: { type: string }
    next_action: end
"""


@pytest.fixture
def undecided(aur: Aur, project: Path) -> str:
    """A run whose only rule leads to the end, and that waits for the person."""
    file = project / ".aurora" / "workflows" / "last.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(LAST_WORD, encoding="utf-8")
    return str(json.loads(aur("workflow", "step", "ask", "--workflow", "last", "--json").stdout)["run"])


def test_a_run_that_waits_is_never_told_as_if_it_had_gone_on(aur: Aur, undecided: str) -> None:
    both = "waits for you: then end, or stop if you decline"
    explained, shown = aur("workflow", "explain", undecided).stdout, aur("runs", "show", undecided).stdout
    listed, page = aur("runs", "list").stdout, aur("runs", "export", undecided).stdout

    for text in (explained, shown, page):
        assert both in text
        assert "led to" not in text
        assert "→" not in text.partition("waits for you: then")[2].partition("aur runs approve")[0]
    assert f"aur runs approve {undecided}" in explained
    assert f"aur runs approve {undecided}" in shown
    assert "go on:" not in explained
    assert "waits for you" in listed
    step = show(aur, undecided)["steps"][0]
    assert step["waits"] == {"person": True, "then": "end", "declined": "stop"}
    assert "next_action" not in step
    assert "decision" not in step


def test_after_a_decline_the_step_tells_who_declined_and_where_it_led(aur: Aur, terminal: Any, undecided: str) -> None:
    assert terminal("runs", "approve", undecided, "--decline", answer="y\n")[0] == 0

    explained, shown = aur("workflow", "explain", undecided).stdout, aur("runs", "show", undecided).stdout

    assert "1. ask asked the person  declined by " in explained
    assert "→ on_decline, to stop: the person declined  .aurora/workflows/last.yaml:7:" in explained
    assert "the phase failed" not in explained
    assert "→ end" not in shown.partition("2. ask")[0]
    assert "→ stop  on_decline" in shown


def test_a_prompt_at_the_end_is_told_as_awaited_until_it_is_answered(aur: Aur, terminal: Any, undecided: str) -> None:
    terminal("runs", "approve", undecided, "--decline", answer="y\n")

    assert "3. stop  waits for the assistant's answer: then end" in aur("workflow", "explain", undecided).stdout
    aur("workflow", "step", "continue", "--run", undecided, "--answer", '"the title"')
    assert "stop  waits" not in aur("workflow", "explain", undecided).stdout
