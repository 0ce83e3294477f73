"""A recorded run of language version 2 replays through an edited workflow, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from aurora.interpreter import Call
from aurora.interpreter.lab.backtest import backtest_run
from aurora.interpreter.run.call import PersonReply
from aurora.tools.runtime.ports import MemoryJournal

FLOW = """
aurora: 2
name: flow
version: 1.0.0
start: each
phases:
  each:
    inputs: { names: { type: array, items: { type: string } } }
    prompt_template: "{{ name }}"
    for_each: { in: inputs.names, as: name, max: 1 }
    answer: { type: string }
    next_action: route
  route:
    next_action:
      - { when: "length(phases.each.answers) > `5`", then: end }
      - { then: maybe }
  maybe:
    when: "length(phases.each.answers) > `3`"
    prompt_template: Many.
    answer: { type: string }
    next_action: review
  review:
    prompt_template: Good?
    answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
    next_action:
      - { when: answer.ok, then: end }
      - { then: review, max: 2, else: end }
"""


@pytest.fixture
def recorded(host: Any) -> Any:
    """Record a run: two items, a skipped phase, one more round of the review."""
    host.write("flow.yaml", FLOW)
    response = host("each", workflow="flow", names=["a", "b"])
    for answer in (["A"], ["B"], {"ok": False}, {"ok": True}):
        response = host.next(response, answer=answer)
    assert response["next_action"] == "end"
    return MemoryJournal(host.workspace).load(response["run"])


def replay(host: Any, run: Any, text: str) -> Any:
    host.write("flow.yaml", text)
    return backtest_run(run, host.workspace.workflows.load("flow"))


def test_an_unchanged_workflow_replays_to_the_end(host: Any, recorded: Any) -> None:
    found = replay(host, recorded, FLOW.replace("version: 1.0.0", "version: 1.0.1"))
    assert (found.divergence, found.matching_steps) == (None, len(recorded.steps))


OLD_SCHEMA = "required: [ok], properties: { ok: { type: boolean } }"
NEW_SCHEMA = "required: [ok, why], properties: { ok: { type: boolean }, why: { type: string } }"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("when: answer.ok, then", 'when: "answer.ok == `false`", then'), ("next_action", "review")),
        (("answers) > `3`", "answers) > `1`"), ("fails", "maybe")),
        (("answers) > `5`", "answers) > `1`"), ("next_action", "route")),
        ((OLD_SCHEMA, NEW_SCHEMA), ("answer", "review")),
    ],
)
def test_the_step_that_an_edit_changes_is_named(
    host: Any, recorded: Any, edit: tuple[str, str], expected: tuple[str, str]
) -> None:
    found = replay(host, recorded, FLOW.replace(*edit))
    assert (found.divergence.kind, found.divergence.phase) == expected


GATE = """
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    person: { message: "Delete it?", form: { sure: { type: boolean } }, on_decline: act }
    next_action: [{ when: answer.sure, then: act }, { then: end }]
  act:
    inputs: { sure: { from: phases.ask.answer.sure, type: boolean } }
    on_error: stop
    prompt_template: "Sure: {{ sure }}"
    answer: { type: string }
    next_action: end
  stop: { prompt_template: Stop., answer: { type: string }, next_action: end }
"""


@pytest.mark.parametrize("form", [({"sure": True},), ({"sure": False},), ()])
def test_a_run_that_asked_the_person_replays_to_its_end(host: Any, form: tuple[Any, ...]) -> None:
    host.write("gate.yaml", GATE)
    run = host("ask", workflow="gate")["run"]
    call = Call("continue", run=run, person=PersonReply(accepts=bool(form), how="terminal"), answer=form)
    response = host.workspace.engine.step(call)
    while response["next_call"] is not None:
        brought = {"answer": "done"} if response["next_call"]["needs"] else {}
        response = host.next(response, **brought)
    recorded = MemoryJournal(host.workspace).load(run)
    assert recorded is not None
    found = backtest_run(recorded, host.workspace.workflows.load("gate"))
    assert (found.divergence, found.matching_steps) == (None, len(recorded.steps))
