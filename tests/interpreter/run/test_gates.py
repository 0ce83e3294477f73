"""Gates: no sequence of a host's own calls gets behind a question to the person."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter import Call
from aurora.interpreter.run.call import PersonReply

if TYPE_CHECKING:
    from collections.abc import Iterator

GATE = """
aurora: 2
name: gate
version: 1.0.0
start: plan
output: { done: { from: "phases.act.answer" } }
phases:
  plan:
    inputs: { what: { type: string } }
    prompt_template: Plan it.
    answer: { type: string }
    next_action: ask
  ask:
    inputs: { what: { from: phases.plan.inputs.what, type: string } }
    person: { message: "Delete {{ what }}?", form: { sure: { type: boolean } }, on_decline: stop }
    next_action:
      - { when: answer.sure, then: act }
      - { then: plan, max: 2, else: stop }
  act:
    inputs: { what: { from: phases.plan.inputs.what, type: string, override: true } }
    prompt_template: Delete it.
    answer: { type: string }
    next_action:
      - { when: "answer == 'again'", then: plan, max: 3, else: stop }
      - { then: stop }
  stop:
    prompt_template: Stop.
    answer: { type: string }
    next_action: end
"""
AROUND = """
aurora: 2
name: around
version: 1.0.0
start: first
phases:
  first:
    inputs: { what: { type: string } }
    prompt_template: Begin.
    answer: { type: string }
    next_action: inner
  inner:
    inputs: { what: { from: phases.first.inputs.what, type: string } }
    workflow: gate
    with: { what: inputs.what }
    next_action: act
  act:
    prompt_template: Go on.
    answer: { type: string }
    next_action: end
"""
NAMES = ("plan", "ask", "act", "stop", "continue", "first", "inner", "end")
ANSWERS: tuple[Any, ...] = (
    "x",
    "again",
    {"sure": True},
    {"sure": False},
    None,
    True,
    [],
    [{"sure": True}],
    '{"sure": true}',
)
TRIES = 100


def make_call(dice: random.Random, workflow: str, runs: list[str]) -> dict[str, Any]:
    """Make a call as a host could: right or wrong, of any run that it knows, or of none."""
    call: dict[str, Any] = {"phase": dice.choice(NAMES)}
    if dice.random() < 0.8 and runs:
        call["run"] = dice.choice(runs)
    else:
        call["workflow"] = workflow
    if dice.random() < 0.5:
        call["answer"] = dice.choice(ANSWERS)
    if dice.random() < 0.3:
        call["step"] = dice.randint(1, 9)
    if dice.random() < 0.5:
        call["what"] = dice.choice(["a", "b"])
    if dice.random() < 0.2:
        call |= {"sure": True, "person": {"accepts": True, "how": "elicitation"}}
    return call


def walk(host: Any, dice: random.Random, workflow: str, runs: list[str]) -> None:
    """Follow the workflow up to the question, and then make any calls."""
    start = "plan" if workflow == "gate" else "first"
    first = host(start, workflow=workflow, what="a")
    runs.append(first["run"])
    second = host.next(first, answer="x")
    if workflow == "around":
        second = host.next(second, answer="x") if second["next_call"]["needs"] else host.next(second)
    for _ in range(6):
        response = host(**make_call(dice, workflow, runs))
        if response.get("run") and response["run"] not in runs:
            runs.append(response["run"])


def list_unasked(host: Any) -> Iterator[str]:
    """Yield the runs that have passed the question without a person."""
    journal = host.workspace.memory.journal
    for row in journal.runs(10_000):
        by_person = False
        for step in journal.steps(row.run):
            by_person = by_person or bool(step.document.get("by"))
            if step.phase.rpartition("/")[2] == "act" and not by_person:
                yield row.run


@pytest.mark.parametrize("workflow", ["gate", "around"])
def test_a_host_alone_never_passes_a_question_to_the_person(host: Any, workflow: str) -> None:
    host.write("gate.yaml", GATE)
    host.write("around.yaml", AROUND)
    waited = 0
    for seed in range(TRIES):
        runs: list[str] = []
        walk(host, random.Random(seed), workflow, runs)  # noqa: S311 - a repeatable sequence
        rows = host.workspace.memory.journal.runs(1000)
        waited += any(row.document["status"] == "waiting" for row in rows if row.run in runs)
    assert list(list_unasked(host)) == []
    assert waited > TRIES / 2, "the calls must reach the question"


@pytest.mark.parametrize(("workflow", "phase"), [("gate", "act"), ("gate", "stop"), ("around", "act")])
def test_a_run_of_a_workflow_with_a_question_begins_at_its_start(host: Any, workflow: str, phase: str) -> None:
    host.write("gate.yaml", GATE)
    host.write("around.yaml", AROUND)
    response = host(phase, workflow=workflow, what="a")
    assert response["error"]["code"] == "FORBIDDEN"
    assert response["next_call"]["arguments"]["phase"] in {"plan", "first"}


FIRST = """
aurora: 2
name: first
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person: { message: "Delete {{ what }}?", form: { sure: { type: boolean } }, on_decline: stop }
    next_action: stop
  stop: { prompt_template: Stop., answer: { type: string }, next_action: end }
"""


@pytest.mark.parametrize("workflow", ["gate", "first"])
def test_a_host_that_answers_for_the_person_is_not_told_to_send_another_answer(host: Any, workflow: str) -> None:
    host.write("gate.yaml", GATE)
    host.write("first.yaml", FIRST)
    waiting = host("plan" if workflow == "gate" else "ask", workflow=workflow, what="a")
    waiting = host.next(waiting, answer="x") if workflow == "gate" else waiting
    refused = host("ask", run=waiting["run"], answer={"sure": True})
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert refused["next_call"]["arguments"] == waiting["next_call"]["arguments"]
    assert refused["next_call"]["needs"] == {}
    assert "nothing has no" not in refused["error"]["message"]
    assert host(**refused["next_call"]["arguments"])["person"]["message"] == "Delete a?"


def test_a_reply_to_an_answered_question_neither_changes_nor_forks_the_run(host: Any) -> None:
    host.write("gate.yaml", GATE)
    first = host("plan", workflow="gate", what="a")
    waiting = host.next(first, answer="x")
    step = waiting["metadata"]["step"] + 1
    engine = host.workspace.engine
    for accepts, answer in ((False, ()), (True, ({"sure": True},))):
        call = Call("continue", run=first["run"], step=step, answer=answer, person=PersonReply(accepts, "terminal"))
        response = engine.step(call)
    assert response["error"]["code"] == "CONFLICT"
    assert [row.run for row in host.workspace.memory.journal.runs(10)] == [first["run"]]


def test_a_reply_where_nobody_is_asked_is_refused(host: Any) -> None:
    host.write("gate.yaml", GATE)
    first = host("plan", workflow="gate", what="a")
    call = Call("continue", run=first["run"], step=2, answer=("x",), person=PersonReply(accepts=True, how="terminal"))
    assert host.workspace.engine.step(call)["error"]["code"] == "CONFLICT"


FORGED = """
aurora: 2
name: forged
version: 1.0.0
start: ask
phases:
  ask:
    GATE
    next_action: think
  think: { prompt_template: Think., answer: { type: string }, next_action: act }
  act:
    inputs: { sure: { from: SOURCE, type: boolean, FURTHER } }
    on_error: stop
    prompt_template: "Sure: {{ sure }}"
    answer: { type: string }
    next_action: end
  stop: { prompt_template: Stop., answer: { type: string }, next_action: end }
"""
WITHIN = """
aurora: 2
name: within
version: 1.0.0
start: ask
output: { sure: { from: phases.ask.answer.sure, type: [boolean, "null"] } }
phases:
  ask: { person: { message: "Delete it?", form: { sure: { type: boolean } }, on_decline: end }, next_action: end }
"""
GATES = {
    "phases.ask.answer.sure": 'person: { message: "Delete it?", form: { sure: { type: boolean } }, on_decline: think }',
    "phases.ask.result.sure": "workflow: within",
}


@pytest.mark.parametrize("source", GATES)
@pytest.mark.parametrize(("further", "shown"), [("default: false", "Sure: False"), ("optional: true", "Sure: ")])
def test_a_host_cannot_send_what_the_person_did_not_say(host: Any, source: str, further: str, shown: str) -> None:
    think = decline(host, source, further)
    refused = host.next(think, answer="x", sure=True)
    assert refused["error"]["message"].endswith(f"comes only from the person, by {source}; leave it out")
    assert list(refused["next_call"]["needs"]) == ["answer"]
    assert host.next(refused, answer="x")["prompt_template"] == shown


@pytest.mark.parametrize("source", GATES)
def test_a_required_input_that_the_person_did_not_give_fails_its_phase(host: Any, source: str) -> None:
    think = decline(host, source, "title: Sure")
    failed = host.next(think, answer="x")
    assert (failed["error"]["code"], failed["next_action"]) == ("WORKFLOW_ERROR", "stop")


def decline(host: Any, source: str, further: str) -> dict[str, Any]:
    """Run a workflow up to the phase after a question that the person declined."""
    host.write("within.yaml", WITHIN)
    host.write(
        "forged.yaml", FORGED.replace("GATE", GATES[source]).replace("SOURCE", source).replace("FURTHER", further)
    )
    waiting = host("ask", workflow="forged")
    call = Call("continue", run=waiting["run"], person=PersonReply(accepts=False, how="terminal"))
    response: dict[str, Any] = host.workspace.engine.step(call)
    assert response["prompt_template"] == "Think.", response
    return response


def test_a_field_that_the_person_leaves_out_has_its_default(host: Any) -> None:
    text = """
aurora: 2
name: remark
version: 1.0.0
start: ask
phases:
  ask:
    person: { message: "Go?", form: { go: { type: boolean }, remark: { type: string, default: none } } }
    next_action: [{ when: "answer.remark == 'none'", then: end }, { then: act }]
  act: { prompt_template: Act., answer: { type: string }, next_action: end }
"""
    host.write("remark.yaml", text)
    waiting = host("ask", workflow="remark")
    reply = PersonReply(accepts=True, how="terminal")
    ended = host.workspace.engine.step(Call("continue", run=waiting["run"], answer=({"go": True},), person=reply))
    assert ended["next_call"] is None, ended
