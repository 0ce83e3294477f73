"""An answer lands at the question that it answers, or nowhere: repeated, late, or raced by another caller."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter import Call
from aurora.interpreter.run.call import PersonReply

if TYPE_CHECKING:
    from collections.abc import Callable

THREE = """
aurora: 2
name: three
version: 1.0.0
start: first
output: { answers: { from: "[phases.first.answer, phases.second.answer, phases.third.answer]" } }
phases:
  first:
    prompt_template: First?
    answer: { type: [string, "null"] }
    next_action:
      - { when: "answer == 'stop'", then: end }
      - { then: second }
  second:
    prompt_template: Second?
    answer: { type: [string, "null"] }
    next_action:
      - { when: "answer == 'stop'", then: end }
      - { then: third }
  third:
    prompt_template: Third?
    answer: { type: string }
    next_action: end
"""
NAMED = """
aurora: 2
name: named
version: 1.0.0
start: ask
phases:
  ask:
    prompt_template: "Round {{ run.visits.ask }}?"
    answer: { type: string }
    next_action: read
  read:
    inputs: { said: { from: phases.ask.answer } }
    uses: mem.stats
    with: {}
    next_action:
      - { when: "inputs.said == 'done'", then: end }
      - { then: ask, max: 3, else: end }
"""
EACH = """
aurora: 2
name: each
version: 1.0.0
start: each
output: { all: { from: phases.each.answers } }
phases:
  each:
    inputs: { xs: { type: array, items: { type: string } } }
    for_each: { in: inputs.xs, as: x, max: 2 }
    prompt_template: "Do {{ x }}."
    answer: { type: string }
    next_action: end
"""
BRANCHES = """
aurora: 2
name: sides
version: 1.0.0
start: sides
output: { all: { from: phases.sides.answers } }
phases:
  sides:
    branches:
      a: { prompt_template: "A in round {{ run.visits.sides }}", answer: { type: integer } }
      b: { prompt_template: B, answer: { type: integer } }
      c: { prompt_template: C, answer: { type: integer } }
    next_action:
      - { when: "answer.c > `10`", then: sides, max: 1, else: end }
      - { then: end }
"""
AROUND = """
aurora: 2
name: around
version: 1.0.0
start: inner
output: { all: { from: phases.inner.result.results } }
phases:
  inner:
    inputs: { names: { type: array } }
    for_each: { in: inputs.names, as: name }
    workflow: three
    with: {}
    next_action: end
"""
GATES = """
aurora: 2
name: gates
version: 1.0.0
start: plan
output: { said: { from: phases.done.answer } }
phases:
  plan:
    prompt_template: Plan.
    answer: { type: string }
    next_action:
      - { when: "answer == 'stop'", then: end }
      - { then: one }
  one:
    person: { message: "One?", form: { ok: { type: boolean } }, on_decline: two }
    next_action:
      - { when: answer.ok, then: two }
      - { then: plan, max: 2, else: end }
  two:
    person: { message: "Two?", form: { ok: { type: boolean } }, on_decline: end }
    next_action: done
  done:
    prompt_template: Done?
    answer: { type: string }
    next_action: end
"""
GATE_EACH = """
aurora: 2
name: gate-each
version: 1.0.0
start: each
phases:
  each:
    inputs: { xs: { type: array } }
    for_each: { in: inputs.xs, as: x }
    workflow: gate-one
    with: { x: x }
    next_action: done
  done:
    prompt_template: Done?
    answer: { type: string }
    next_action: end
"""
GATE_ONE = """
aurora: 2
name: gate-one
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { x: { type: string } }
    person: { message: "Keep {{ x }}?", form: { ok: { type: boolean } }, on_decline: end }
    next_action: end
"""


def begin(host: Any, text: str, **inputs: Any) -> dict[str, Any]:
    name = text.split("name: ", 1)[1].split(maxsplit=1)[0]
    host.write(f"{name}.yaml", text)
    response: dict[str, Any] = host(workflow=name, **inputs)
    assert response["status"] != "error", response["error"]
    return response


def reply(host: Any, waiting: dict[str, Any], *, accepts: bool = True, **form: Any) -> dict[str, Any]:
    """Reply to the question of a waiting run, as a person does in a terminal or on the page."""
    run, step = waiting["run"], waiting["metadata"]["step"] + 1
    person = PersonReply(accepts, "terminal", "ada")
    response: dict[str, Any] = host.workspace.engine.step(
        Call("continue", run=run, step=step, answer=(form,) if accepts else (), person=person)
    )
    return response


def test_each_next_call_of_a_run_has_its_step(host: Any) -> None:
    response, steps = begin(host, THREE), []
    for answer in ("a", "b", "c"):
        steps.append(response["next_call"]["arguments"]["step"])
        response = host.next(response, answer=answer)
    assert steps == [2, 4, 6]
    assert response["output"] == {"answers": ["a", "b", "c"]}


def test_a_second_answer_to_a_question_is_a_fork_and_no_answer_to_the_next_one(host: Any) -> None:
    first = begin(host, THREE)
    second = host.next(first, answer="mine")
    late = host.next(first, answer="yours")
    assert late["prompt_template"] == "Second?"
    assert late["metadata"]["forked_from"] == f"{first['run']}:2"
    end = host.next(host.next(second, answer="b"), answer="c")
    assert end["output"] == {"answers": ["mine", "b", "c"]}


@pytest.mark.parametrize("answer", ["other words", "same", None])
def test_an_answer_without_its_step_is_refused_where_it_may_belong_to_an_earlier_question(
    host: Any, answer: str | None
) -> None:
    first = begin(host, THREE)
    second = host.next(first, answer="same")
    late = host(phase="continue", run=first["run"], answer=answer)
    if answer == "other words":
        assert late["error"]["code"] == "CONFLICT"
        assert "has asked 2 questions" in late["error"]["message"]
        assert late["progress"] == "2/3 second"
        late = host(**late["next_call"]["arguments"])  # shows the question that is due
    assert late["prompt_template"] == "Second?"
    assert late["next_call"] == second["next_call"]
    assert len(host.workspace.memory.journal.steps(first["run"])) == 3


def test_the_only_question_of_a_run_may_be_answered_without_its_step(host: Any) -> None:
    first = begin(host, THREE)
    assert host(run=first["run"], answer="a")["prompt_template"] == "Second?"


def test_null_answers_a_question_that_allows_it(host: Any) -> None:
    first = begin(host, THREE)
    assert host(phase="continue", run=first["run"], answer=None)["prompt_template"] == "Second?"


def test_a_late_answer_of_round_one_does_not_land_in_round_two(host: Any) -> None:
    first = begin(host, NAMED)
    again = host.next(host.next(first, answer="more"))
    assert again["prompt_template"] == "Round 1?"
    without = host(phase="read", run=first["run"], answer="late")
    assert without["error"]["code"] == "CONFLICT"
    assert "no step that says which" in without["error"]["message"]
    late = host.next(first, answer="late")
    assert late["metadata"]["forked_from"] == f"{first['run']}:2"
    assert host.next(again, answer="done")["next_action"] == "end"


def test_answers_for_items_that_come_late_are_not_those_of_the_next_items(host: Any) -> None:
    first = begin(host, EACH, xs=["1", "2", "3", "4"])
    second = host.next(first, answer=["a", "a"])
    late = host.next(first, answer=["b", "b"])
    assert late["prompt_template"] == ["Do 3.", "Do 4."]
    assert late["run"] != first["run"]
    assert host.next(first, answer=["a", "a"]) == second
    assert host.next(second, answer=["c", "c"])["output"] == {"all": ["a", "a", "c", "c"]}


def test_agents_answer_the_branches_of_one_question_at_once_and_each_repeats_safely(host: Any) -> None:
    first = begin(host, BRANCHES)
    calls = [{"a": 1}, {"c": 3}, {"b": 2}]
    with ThreadPoolExecutor(3) as agents:
        answered = list(agents.map(lambda one: host.next(first, answer=one), calls))
    assert {one["run"] for one in answered} == {first["run"]}
    assert [one["next_call"] for one in answered].count(None) == 1
    end = next(one for one in answered if one["next_call"] is None)
    assert end["output"] == {"all": [{"a": 1, "b": 2, "c": 3}]}
    for one, response in zip(calls, answered, strict=True):
        assert host.next(first, answer=one) == response
    assert host.next(first, answer={"a": 7})["metadata"]["forked_from"] == f"{first['run']}:2"


def test_a_late_branch_of_round_one_does_not_land_in_round_two(host: Any) -> None:
    first = begin(host, BRANCHES)
    again = host.next(first, answer={"a": 1, "b": 2, "c": 30})
    assert again["prompt_template"]["a"] == "A in round 1"
    late = host.next(first, answer={"b": 9})
    assert late["metadata"]["forked_from"] == f"{first['run']}:2"
    end = host.next(again, answer={"a": 1, "b": 2, "c": 3})
    assert end["output"]["all"][1] == {"a": 1, "b": 2, "c": 3}


def test_a_late_answer_within_a_workflow_does_not_land_at_the_next_item(host: Any) -> None:
    host.write("three.yaml", THREE)
    first = begin(host, AROUND, names=["x", "y"])
    other = host.next(first, answer="stop")
    assert other["prompt_template"] == "First?"
    late = host.next(first, answer="a")
    assert late["prompt_template"] == "Second?"
    assert late["metadata"]["forked_from"].startswith(first["run"])
    assert host.next(other, answer="stop")["output"]["all"][1]["answers"] == ["stop", None, None]


def test_a_run_that_others_continue_meanwhile_is_never_taken_for_a_changed_one(host: Any) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(30):
            first = begin(host, BRANCHES)
            with ThreadPoolExecutor(3) as agents:
                send = partial(lambda first, answer: host.next(first, answer=answer), first)
                answered = list(agents.map(send, [{"a": 1}, {"b": 2}, {"c": 3}]))
            assert [one["status"] for one in answered] == ["complete"] * 3
    finally:
        sys.setswitchinterval(interval)


def test_of_two_servers_that_race_with_different_answers_one_forks(host: Any, open_host: Callable[..., Any]) -> None:
    first = begin(host, THREE)
    other = open_host()
    with ThreadPoolExecutor(2) as servers:
        made = list(servers.map(lambda pair: pair[0].next(first, answer=pair[1]), [(host, "a"), (other, "b")]))
    assert [one["prompt_template"] for one in made] == ["Second?", "Second?"]
    assert sorted(one["run"] == first["run"] for one in made) == [False, True]


def test_a_repeated_call_of_a_waiting_step_gets_the_present_state(host: Any) -> None:
    one = host.next(begin(host, GATES), answer="go")
    assert one["person"]["message"] == "One?"
    assert host.next(one) == one
    two = reply(host, one, ok=True)
    assert two["person"]["message"] == "Two?"
    assert host.next(one) == two
    assert host.next(one, answer={"ok": True}) == two  # what an assistant makes up answers nothing
    done = reply(host, two, ok=True)
    assert [host.next(before) for before in (one, two)] == [done, done]
    end = host.next(done, answer="yes")
    assert [host.next(before) for before in (one, two)] == [end, end]


def test_after_a_refusal_or_a_decline_the_old_call_gets_the_present_state(host: Any) -> None:
    one = host.next(begin(host, GATES), answer="go")
    plan = reply(host, one, ok=False)
    assert (plan["prompt_template"], host.next(one)) == ("Plan.", plan)
    again = host.next(plan, answer="better")
    assert (again["person"]["message"], host.next(one)) == ("One?", again)
    two = reply(host, again, accepts=False)
    assert (two["person"]["message"], host.next(one), host.next(again)) == ("Two?", two, two)
    end = reply(host, two, accepts=False)
    assert [host.next(before) for before in (one, again, two)] == [end, end, end]


def test_a_question_to_the_person_for_each_item_leads_on_by_the_first_call(host: Any) -> None:
    host.write("gate-one.yaml", GATE_ONE)
    first = begin(host, GATE_EACH, xs=["a", "b", "c"])
    waiting = first
    for name in ("b", "c"):
        waiting = reply(host, waiting, ok=True)
        assert waiting["person"]["message"] == f"Keep {name}?"
        assert host.next(first) == waiting
    done = reply(host, waiting, ok=True)
    assert (done["prompt_template"], host.next(first)) == ("Done?", done)


def test_a_call_without_an_answer_shows_the_question_that_is_due(host: Any) -> None:
    first = begin(host, THREE)
    assert host.next(first) == first
    second = host.next(first, answer="a")
    assert host.next(first) == second  # another caller has answered meanwhile


def test_a_refused_answer_of_a_fork_is_tried_again_in_the_run_that_exists(host: Any) -> None:
    first = begin(host, THREE)
    host.next(first, answer="a")
    refused = host.next(first, answer=7)
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert refused["next_call"]["arguments"] == first["next_call"]["arguments"]
    assert host.next(refused, answer="b")["metadata"]["forked_from"] == f"{first['run']}:2"
