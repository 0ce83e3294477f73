"""Runs inside, or past, a workflow that runs as a phase: edits of its file, and going back to the phase."""

from __future__ import annotations

from typing import Any

import pytest

INNER = """
aurora: 2
name: inner
version: 1.0.0
start: write
output: { text: { from: phases.check.answer, type: string } }
phases:
  write:
    inputs: { topic: { type: string } }
    prompt_template: "Write about {{ topic }}."
    answer: { type: string }
    next_action: { then: check, say: Well. }
  check:
    prompt_template: Check it.
    answer: { type: string }
    next_action: end
"""
MIDDLE = """
aurora: 2
name: middle
version: 1.0.0
start: hand
output: { text: { from: phases.hand.result.text, type: string } }
phases:
  hand:
    inputs: { topic: { type: string } }
    workflow: inner
    with: { topic: topic }
    next_action: end
"""
OUTER = """
aurora: 2
name: outer
version: 1.0.0
start: first
phases:
  first:
    prompt_template: First.
    answer: { type: string }
    next_action: part
  part:
    inputs: { about: { type: string } }
    workflow: WORKFLOW
    with: { topic: about }
    next_action: last
  last:
    inputs: { about: { from: inputs.about, type: string }, text: { from: phases.part.result.text, type: string } }
    prompt_template: "{{ about }}: {{ text }}"
    answer: { type: string }
    next_action: after
  after:
    prompt_template: After.
    answer: { type: string }
    next_action: end
"""
EACH = OUTER.replace(
    "    with: { topic: about }", "    for_each: { in: \"['a', 'b']\", as: item }\n    with: { topic: item }"
)
EACH = EACH.replace(
    "text: { from: phases.part.result.text", "text: { from: \"join(',', phases.part.result.results[].text)\""
)


def walk(host: Any, answers: int, inner: str = "inner", outer: str = OUTER) -> dict[str, Any]:
    """Answer so many prompts of a run."""
    host.write("inner.yaml", INNER)
    host.write("middle.yaml", MIDDLE)
    host.write("outer.yaml", outer.replace("WORKFLOW", inner))
    response: dict[str, Any] = host("first", workflow="outer")
    for number in range(answers):
        response = go_on(host, response, f"answer {number}")
    return response


def go_on(host: Any, response: dict[str, Any], answer: Any = "well") -> dict[str, Any]:
    needs = response["next_call"]["needs"]
    brought = {**({"answer": answer} if "answer" in needs else {}), **({"about": "tea"} if "about" in needs else {})}
    after: dict[str, Any] = host.next(response, **brought)
    return after


def edit(host: Any, old: str, new: str, name: str = "inner.yaml") -> None:
    text = {"inner.yaml": INNER, "middle.yaml": MIDDLE}[name]
    assert old in text
    host.write(name, text.replace(old, new))


@pytest.mark.parametrize("inner", ["inner", "middle"])
@pytest.mark.parametrize("answers", [2, 3, 4])
def test_an_edit_of_a_finished_inner_step_sends_the_run_back(host: Any, inner: str, answers: int) -> None:
    response = walk(host, answers, inner)
    edit(host, "Write about {{ topic }}.", "Write a poem about {{ topic }}.")
    after = go_on(host, response)
    assert after["error"]["code"] == "CONFLICT"
    assert 'phase "part' in after["error"]["message"]
    assert after["error"]["details"] == {"go_back_to": "part", "step": 2}
    again = host.next(after)
    assert (again["status"], again["prompt_template"]) == ("complete", "Write a poem about tea.")
    assert again["run"] != response["run"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("say: Well.", "say: Good."), ("Check it.", "Check all of it."), ("name: inner", "name: inner\ntitle: In")],
)
def test_an_edit_that_no_finished_inner_step_depends_on_voids_nothing(host: Any, old: str, new: str) -> None:
    response = walk(host, 1)
    edit(host, old, new)
    after = go_on(host, response)
    assert (after["status"], after["run"]) == ("complete", response["run"])


def test_an_edit_of_a_workflow_between_sends_the_run_back(host: Any) -> None:
    response = walk(host, 2, "middle")
    edit(host, "with: { topic: topic }", "with: { topic: \"join('', [topic, '!'])\" }", "middle.yaml")
    after = go_on(host, response)
    assert after["error"]["details"] == {"go_back_to": "part", "step": 2}
    assert host.next(after)["prompt_template"] == "Write about tea!."


def test_an_edit_of_an_inner_workflow_before_the_run_comes_to_it_voids_nothing(host: Any) -> None:
    response = walk(host, 0)
    edit(host, "Write about {{ topic }}.", "Write a poem about {{ topic }}.")
    assert go_on(host, response)["prompt_template"] == "Write a poem about tea."


def test_an_edit_during_the_walk_of_a_later_item_sends_the_run_back_to_the_first(host: Any) -> None:
    response = walk(host, 4, outer=EACH)
    assert response["phase"] == "part/check"
    edit(host, "Write about {{ topic }}.", "Write a poem about {{ topic }}.")
    after = go_on(host, response)
    assert after["error"]["details"] == {"go_back_to": "part", "step": 2}
    assert host.next(after)["prompt_template"] == "Write a poem about a."


def test_what_the_caller_sent_to_a_phase_with_a_workflow_is_an_input_of_the_run(host: Any) -> None:
    assert walk(host, 3)["prompt_template"] == "tea: answer 2"


def test_going_back_to_a_phase_with_a_workflow_walks_it_anew(host: Any) -> None:
    response = walk(host, 4)
    assert response["phase"] == "after"
    again = host("part", run=response["run"], about="coffee")
    assert (again["status"], again["prompt_template"]) == ("complete", "Write about coffee.")
    assert again["metadata"]["forked_from"] == f"{response['run']}:2"


DECIDES = """
aurora: 2
name: decides
version: 1.0.0
start: review
phases:
  review:
    inputs: { text: { type: string } }
    prompt_template: "Review {{ text }}."
    answer: { type: boolean }
    next_action:
      - { when: answer, then: last }
      - { then: end }
  last:
    prompt_template: Last.
    answer: { type: string }
    next_action: end
"""


def test_going_back_to_a_phase_that_its_answer_decides_asks_again(host: Any) -> None:
    host.write("decides.yaml", DECIDES)
    response = host("review", workflow="decides", text="one")
    assert host.next(response, answer=True)["phase"] == "last"
    again = host("review", run=response["run"], text="two")
    assert (again["status"], again["prompt_template"]) == ("complete", "Review two.")
    assert again["metadata"]["forked_from"] == f"{response['run']}:1"
