"""A visit that is skipped has nothing of an earlier one, and a phase that has not run has empty lists."""

from __future__ import annotations

import json
from typing import Any

import pytest

LOOP = """
aurora: 2
name: loop
version: 1.0.0
start: look
phases:
  look:
    prompt_template: "Look?"
    answer: { type: boolean }
    next_action: assess
  assess:
    when: phases.look.answer
    KIND
    next_action: use
  use:
    inputs:
      last: { from: phases.assess.FIELD, default: none }
      all: { from: phases.assess.FIELDs }
      given: { from: phases.assess.inputs, default: none }
      failed: { from: phases.assess.error, default: none }
      status: { from: phases.assess.status }
      visits: { from: phases.assess.visits }
    prompt_template: "{{ inputs | tojson }}"
    answer: { enum: [again, done] }
    next_action:
      - { when: "answer == 'again'", then: look, max: 5, else: end }
      - { then: end }
"""
KINDS = {
    "prompt": ["inputs: { q: { default: x } }", "prompt_template: Assess.", "answer: { type: string }"],
    "items": [
        "for_each: { in: '[`1`, `2`]', as: n, max: 1 }",
        'prompt_template: "{{ n }}"',
        "answer: { type: string }",
    ],
    "branches": ["branches: { a: { prompt_template: A, answer: { type: string } } }"],
    "tool": ["uses: mem.stats", "with: {}"],
    "workflow": ["workflow: small", "with: {}"],
    "each": ["for_each: { in: '[`1`]', as: n }", "workflow: small", "with: {}"],
}
ANSWERS = {"prompt": ["risk"], "items": [["risk"], ["risk"]], "branches": [{"a": "risk"}], "tool": [None]}
SMALL = """
aurora: 2
name: small
version: 1.0.0
start: say
output: { said: { from: phases.say.answer } }
phases:
  say: { prompt_template: Say., answer: { type: string }, next_action: end }
"""
READ_ONLY = """
aurora: 2
name: loop
version: 1.0.0
pace: prompt
start: one
phases:
  one: { uses: workflow.list, with: {}, next_action: two }
  two: { when: "run.visits.two == `0`", uses: workflow.list, with: {}, next_action: three }
  three:
    next_action:
      - { when: "phases.two.status == 'complete'", then: two, max: 3, else: end }
      - { then: use }
  use:
    inputs: { seen: { from: phases.two.result.workflows, default: none }, all: { from: length(phases.two.results) } }
    prompt_template: "{{ seen }} {{ all }}"
    answer: { type: string }
    next_action: end
"""
NOTHING = {"last": "none", "all": [], "given": "none", "failed": "none", "status": "skipped"}


def read(response: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(response["prompt_template"])
    return found


def take_round(host: Any, response: dict[str, Any], kind: str) -> dict[str, Any]:
    """Answer `look` with true, and what `assess` asks; return the response of `use`."""
    response = host.next(response, answer=True)
    for answer in ANSWERS.get(kind, ["risk"]):
        brought = {} if answer is None else {"answer": answer}
        response = host.next(response, **brought)
        assert response["status"] != "error", response["error"]
    return response


@pytest.mark.parametrize("kind", KINDS)
def test_a_skipped_visit_has_nothing_of_an_earlier_one(host: Any, kind: str) -> None:
    field = "result" if kind in ("tool", "workflow", "each") else "answer"
    host.write("small.yaml", SMALL)
    host.write("loop.yaml", LOOP.replace("KIND", "\n    ".join(KINDS[kind])).replace("FIELD", field))
    first = host(workflow="loop")
    skipped = host.next(first, answer=False)
    assert read(skipped) == {**NOTHING, "visits": 0}
    used = take_round(host, host.next(skipped, answer="again"), kind)
    one = read(used)
    assert (one["status"], one["visits"]) == ("complete", 1)
    assert one["last"] != "none"
    for _ in range(2):  # also twice in a row
        used = host.next(host.next(used, answer="again"), answer=False)
        assert read(used) == {**NOTHING, "visits": 1}
    three = read(take_round(host, host.next(used, answer="again"), kind))
    assert (three["status"], three["visits"]) == ("complete", 2)
    assert len(three["all"]) == 2  # of the visits that ran; with items, of the last one


def test_a_phase_that_is_skipped_without_a_run_has_nothing_either(open_host: Any) -> None:
    host = open_host(read_only=True)
    host.write("loop.yaml", READ_ONLY)
    response = host(workflow="loop")
    assert response["prompt_template"] == "none 0"


def test_an_output_of_a_phase_that_did_not_run_has_empty_lists_and_its_default(host: Any) -> None:
    host.write(
        "out.yaml",
        """
aurora: 2
name: out
version: 1.0.0
start: pick
output:
  acts: { from: phases.act.answers, type: array }
  count: { from: length(phases.act.answers), type: integer }
  last: { from: "phases.act.answers[-1]", default: none, type: string }
  one: { from: phases.act.answer.text, default: { a: [1] }, type: object }
  given: { from: phases.pick.answer, default: never }
  visited: { from: phases.act != null }
phases:
  pick: { prompt_template: "Act?", answer: { enum: [act, stop] }, next_action: decide }
  decide:
    inputs: { picked: { from: phases.pick.answer } }
    next_action:
      - { when: inputs.picked == 'act', then: act }
      - { then: end }
  act: { prompt_template: Act., answer: {}, next_action: end }
""",
    )
    end = host.next(host(workflow="out"), answer="stop")
    assert end["output"] == {
        "acts": [],
        "count": 0,
        "last": "none",
        "one": {"a": [1]},
        "given": "stop",
        "visited": False,
    }
