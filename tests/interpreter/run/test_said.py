"""What a rule says reaches the assistant once, in the response to the call that took the rule."""

from __future__ import annotations

from typing import Any

import pytest

from aurora.interpreter import Call
from aurora.interpreter.run.call import PersonReply
from aurora.interpreter.run.next_call import MAX_RESPONSE_CHARACTERS, to_compact_json

SAYS = """
aurora: 2
name: says
version: 1.0.0
pace: PACE
start: plain
phases:
  plain:
    prompt_template: Plain
    answer: { type: string }
    next_action: { then: tool, say: Plain-said. }
  tool:
    uses: mem.stats
    with: {}
    next_action: { then: loud, say: Tool-said. }
  loud:
    when: "`false`"
    uses: mem.stats
    with: {}
    next_action: { then: ask, say: Skip-said. }
  ask:
    inputs: { x: { from: phases.plain.answer } }
    prompt_template: "Ask {{ x }}"
    answer: { type: boolean }
    next_action:
      - { when: answer, then: route, say: Answer-said. }
      - { then: ask, max: 1, else: route, say: Round-said. }
  route:
    next_action: { then: last, say: Route-said., early_exit: true }
  last:
    prompt_template: Last
    answer: { type: string }
    next_action: { then: end, say: End-said. }
"""
GATE = """
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { xs: { type: array } }
    person: { message: "Go?", form: { ok: { type: boolean } }, on_decline: stop }
    next_action: { then: each, say: Gate-said. }
  each:
    inputs: { xs: { from: phases.ask.inputs.xs } }
    for_each: { in: inputs.xs, as: x, max: 1 }
    prompt_template: "Do {{ x }}"
    answer: { type: string }
    next_action: { then: inner, say: Each-said. }
  inner:
    workflow: within
    with: {}
    next_action: { then: end, say: Outer-said. }
  stop: { next_action: { then: end, say: Stop-said. } }
"""
WITHIN = """
aurora: 2
name: within
version: 1.0.0
start: ask
phases:
  ask: { prompt_template: Within, answer: { type: string }, next_action: { then: decide, say: Within-said. } }
  decide: { next_action: { then: end, say: Decided. } }
"""


def list_said(response: dict[str, Any]) -> list[str]:
    return [word for word in response["guidance"].split() if word.endswith("-said.") or word == "Decided."]


def begin(host: Any, text: str, **inputs: Any) -> dict[str, Any]:
    name = text.split("name: ", 1)[1].split(maxsplit=1)[0]
    host.write(f"{name}.yaml", text)
    response: dict[str, Any] = host(workflow=name, **inputs)
    assert response["status"] != "error", response["error"]
    return response


@pytest.mark.parametrize("pace", ["phase", "prompt"])
def test_each_taken_rule_speaks_once_and_when_it_is_taken(host: Any, pace: str) -> None:
    plain = begin(host, SAYS.replace("PACE", pace))
    assert list_said(plain) == []  # its answer is still to come
    tool = host.next(plain, answer="p")
    ask = tool if pace == "prompt" else host.next(tool)
    assert list_said(tool) == ["Plain-said.", "Tool-said.", "Skip-said."]
    assert ask is tool or list_said(ask) == []
    again = host.next(ask, answer=False)
    assert (list_said(again), again["prompt_template"]) == (["Round-said."], "Ask p")
    last = host.next(again, answer=False)  # the round is spent, and the rule leads to its `else`
    assert (list_said(last), last["early_exit"]) == (["Round-said.", "Route-said."], True)
    end = host.next(last, answer="done")
    assert list_said(end) == ["End-said."]
    assert end["guidance"].startswith("The run has ended.")
    assert "early_exit" not in end


def test_a_rule_speaks_after_all_items_and_within_a_workflow_too(host: Any) -> None:
    host.write("within.yaml", WITHIN)
    waiting = begin(host, GATE, xs=["a", "b"])
    assert list_said(waiting) == []
    person = PersonReply(accepts=True, how="terminal")
    first = host.workspace.engine.step(Call("continue", run=waiting["run"], answer=({"ok": True},), person=person))
    assert list_said(first) == ["Gate-said."]
    assert list_said(host.next(waiting)) == ["Gate-said."]  # the same response
    second = host.next(first, answer=["1"])
    assert list_said(second) == []
    within = host.next(second, answer=["2"])
    assert (list_said(within), within["prompt_template"]) == (["Each-said."], "Within")
    assert list_said(host.next(within, answer="x")) == ["Within-said.", "Decided.", "Outer-said."]


def test_a_declined_question_leaves_its_rule_silent(host: Any) -> None:
    host.write("within.yaml", WITHIN)
    waiting = begin(host, GATE, xs=[])
    person = PersonReply(accepts=False, how="terminal")
    end = host.workspace.engine.step(Call("continue", run=waiting["run"], person=person))
    assert list_said(end) == ["Stop-said."]


def test_without_a_run_a_phase_that_asks_speaks_with_its_prompt(open_host: Any) -> None:
    host = open_host(read_only=True)
    assert list_said(begin(host, SAYS.replace("PACE", "phase"))) == ["Plain-said."]


def test_many_rules_that_speak_at_once_leave_room_for_the_prompt(host: Any) -> None:
    phases = "".join(
        f"  p{n}: {{ next_action: {{ then: {f'p{n + 1}' if n < 29 else 'ask'}, say: '{n} {'x' * 900}' }} }}\n"
        for n in range(30)
    )
    text = f"aurora: 2\nname: loud\nversion: 1.0.0\nstart: p0\nphases:\n{phases}"
    text += f"  ask: {{ prompt_template: '{'q' * 13_000}', answer: {{ type: string }}, next_action: end }}\n"
    response = begin(host, text)
    assert len(to_compact_json(response)) <= MAX_RESPONSE_CHARACTERS
    assert response["prompt_template"] == "q" * 13_000
    assert "29 xxx" in response["guidance"]
