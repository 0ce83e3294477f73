"""Runs: order, repetition, forks, limits and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.interpreter import Call, Engine
from aurora.tools.runtime.ports import MemoryJournal, SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.interpreter import Run, Step
    from aurora.tools.runtime.workspace import Workspace

OOLONG = {"tea": "oolong", "minutes": 4}

POLL = """
aurora: 1
name: poll
version: 1.0.0
start: look
phases:
  look:
    uses: mem.stats
    output: { type: object }
    next_action:
      - { when: "run.step >= `0` && length(phases) < `0`", then: end }
      - { then: look, max: 3, else: end }
"""


def _run_to_end(host: Any, *answers: Any) -> dict[str, Any]:
    response = host("choose", workflow="tea", guests=3)
    for answer in answers:
        response = host.next(response, answer=answer)
    return response


@pytest.mark.requirement("triads-19", "triads-42")
def test_a_phase_out_of_turn_is_a_conflict_that_names_the_expected_phase(host: Any) -> None:
    first = _run_to_end(host)
    response = host("serve", run=first["run"], good=True)
    assert response["error"]["code"] == "CONFLICT"
    assert 'the next phase is "brew"' in response["error"]["message"]
    assert response["error"]["details"]["expected"] == "brew"
    assert response["next_call"] == first["next_call"]


def test_a_step_that_is_not_due_is_a_conflict_that_names_the_next_step(host: Any) -> None:
    first = _run_to_end(host)
    response = host("brew", run=first["run"], step=99)
    assert response["error"]["code"] == "CONFLICT"
    assert response["error"]["message"] == f'step 99 is not due in run "{first["run"]}"; the next step is 2'


def test_a_finished_run_accepts_no_further_call(host: Any) -> None:
    end = _run_to_end(host, OOLONG, {"good": True}, {})
    response = host("brew", run=end["run"], step=9, tea="x", minutes=1)
    assert response["error"]["code"] == "CONFLICT"
    assert "has ended" in response["error"]["message"]


def test_the_same_call_twice_gives_the_same_answer_and_one_step(host: Any) -> None:
    first = _run_to_end(host)
    once = host.next(first, answer=OOLONG)
    twice = host.next(first, answer=OOLONG)
    assert once == twice
    assert len(host.workspace.memory.journal.steps(first["run"])) == 2


class ConcurrentJournal(MemoryJournal):
    """A journal in which another call appends once, just before a step is stored."""

    def __init__(self, workspace: Workspace, overtake: Callable[[], Any]) -> None:
        super().__init__(workspace)
        self._overtake: Callable[[], Any] | None = overtake

    def append(self, run: Run, step: Step) -> None:
        self._first()
        super().append(run, step)

    def begin(self, run: Run) -> None:
        self._first()
        super().begin(run)

    def _first(self) -> None:
        overtake, self._overtake = self._overtake, None
        if overtake is not None:
            overtake()


def _call_concurrently(host: Any, other: Any, **call: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the responses to two concurrent calls, the one stored first at the start."""
    first: list[dict[str, Any]] = []
    journal = ConcurrentJournal(host.workspace, lambda: first.append(host("brew", **{**call, "answer": other})))
    tools, workflows = host.workspace.tools, host.workspace.workflows
    engine = Engine(workflows, tools, journal, SystemClock(), default="tea")
    second = engine.step(Call("brew", run=call["run"], step=call["step"], answer=(call["answer"],)))
    return first[0], second


def test_two_same_calls_at_once_give_the_same_answer_and_one_step(host: Any) -> None:
    run = _run_to_end(host)["run"]
    first, second = _call_concurrently(host, OOLONG, run=run, step=2, answer=OOLONG)
    assert first == second
    assert (second["status"], second["run"]) == ("complete", run)
    assert len(host.workspace.memory.journal.steps(run)) == 2


def test_of_two_different_calls_at_once_the_later_one_is_a_fork(host: Any) -> None:
    run = _run_to_end(host)["run"]
    first, second = _call_concurrently(host, {"tea": "mint", "minutes": 7}, run=run, step=2, answer=OOLONG)
    assert (first["status"], first["run"]) == ("complete", run)
    assert (second["status"], second["metadata"]["forked_from"]) == ("complete", f"{run}:2")
    assert "mint" in first["prompt_template"]
    assert "oolong" in second["prompt_template"]


def test_two_same_forks_at_once_are_one(host: Any) -> None:
    run = _run_to_end(host, {"tea": "mint", "minutes": 7})["run"]
    first, second = _call_concurrently(host, OOLONG, run=run, step=2, answer=OOLONG)
    assert first == second
    assert first["metadata"]["forked_from"] == f"{run}:2"


def test_going_back_with_other_inputs_forks_and_leaves_the_old_run_as_it_was(host: Any) -> None:
    third = _run_to_end(host, OOLONG, {"good": False})
    forked = host("brew", run=third["run"], answer={"tea": "mint", "minutes": 7})
    assert forked["run"] != third["run"]
    assert forked["prompt_template"].startswith("Brew mint for 7 minutes")
    assert forked["metadata"]["forked_from"] == f"{third['run']}:2"
    assert [step.phase for step in host.workspace.memory.journal.steps(third["run"])] == ["choose", "brew", "serve"]
    assert host.next(forked, answer={"good": True})["phase"] == "serve"


def test_an_edge_with_max_is_taken_that_often_and_then_leads_to_else(host: Any) -> None:
    seen: list[str] = []
    decision: list[dict[str, Any]] = []
    response = _run_to_end(host)
    while response["next_call"] and len(seen) < 20:
        seen.append(response["phase"])
        answer = {"choose": OOLONG, "brew": {"good": False}, "serve": {}}[response["phase"]]
        response = host.next(response, answer=answer, detail="full")
        decision = response["metadata"]["decision"] or decision
    assert seen == ["choose", "brew", "serve"] * 3
    assert response["next_action"] == "end"
    assert decision[-1]["spent"] == "taken 2 times; else end"


def test_a_phase_that_follows_itself_continues_with_equal_calls(host: Any) -> None:
    host.write("poll.yaml", POLL)
    response = host("look", workflow="poll")
    steps = 1
    while response["next_call"] and steps < 10:
        response = host.next(response)
        steps += 1
    assert (steps, response["next_action"]) == (4, "end")


def test_an_unknown_run_is_not_found(host: Any) -> None:
    response = host("brew", workflow="tea", run="nosuchrun")
    assert response["error"]["code"] == "NOT_FOUND"
    assert response["next_call"]["arguments"] == {"phase": "choose", "workflow": "tea"}


def test_a_run_of_another_workflow_is_a_conflict(host: Any) -> None:
    first = _run_to_end(host)
    response = host("brew", workflow="soar", run=first["run"], answer=OOLONG)
    assert response["error"]["code"] == "CONFLICT"


def test_a_run_goes_on_in_another_process_of_the_same_project(host: Any, open_host: Any) -> None:
    first = _run_to_end(host)
    other = open_host()
    assert other.next(first, answer=OOLONG)["phase"] == "brew"


def test_every_phase_works_without_a_run_when_all_its_inputs_are_given(host: Any) -> None:
    brew = host("brew", workflow="tea", tea="mint", minutes=2, guests=1)
    assert brew["status"] == "complete"
    assert brew["prompt_template"] == "Brew mint for 2 minutes, 1 cups. Is it good?"
    missing = host("brew", workflow="tea", tea="mint")
    assert set(missing["next_call"]["needs"]) == {"minutes", "guests"}
    assert host.next(missing, minutes=3, guests=2)["status"] == "complete"


def test_a_run_that_was_entered_midway_asks_for_what_it_cannot_recall(host: Any) -> None:
    host.write("late.yaml", LATE)
    response = host("second", workflow="late", word="x")
    assert response["next_call"]["needs"] == {"query": {"type": "string"}}
    assert host.next(response, query="why")["prompt_template"] == "why"


LATE = """
aurora: 1
name: late
version: 1.0.0
start: first
phases:
  first:
    inputs: { query: { type: string } }
    uses: mem.stats
    with: {}
    next_action: second
  second:
    inputs: { word: { type: string } }
    uses: mem.stats
    with: {}
    next_action: third
  third:
    inputs: { query: { from: inputs.query, type: string } }
    prompt_template: "{{ query }}"
    answer: { type: object }
    next_action: end
"""


def _edit(host: Any, old: str, new: str) -> None:
    path = host.root / ".aurora" / "workflows" / "tea.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_after_an_edit_of_a_finished_phase_the_run_names_the_phase_to_return_to(host: Any) -> None:
    first = _run_to_end(host)
    _edit(host, "Which tea", "What tea")
    response = host.next(first, answer=OOLONG)
    assert response["error"]["code"] == "CONFLICT"
    assert 'phase "choose" of workflow "tea" was edited' in response["error"]["message"]
    assert response["next_call"]["arguments"] == {"phase": "choose", "run": first["run"], "step": 1}
    again = host.next(response)
    assert again["prompt_template"] == "What tea suits 3 calm guests?"
    assert again["metadata"]["forked_from"] == f"{first['run']}:1"
    assert host.next(again, answer=OOLONG)["phase"] == "brew"


def test_after_an_edit_of_a_later_phase_the_run_goes_on_with_the_new_one(host: Any) -> None:
    first = _run_to_end(host)
    _edit(host, "Brew {{ tea }}", "Steep {{ tea }}")
    second = host.next(first, answer=OOLONG)
    assert second["run"] == first["run"]
    assert second["prompt_template"].startswith("Steep oolong")
    assert host.next(second, answer={"good": True})["phase"] == "serve"


def test_phases_before_the_edited_one_stay_finished(host: Any) -> None:
    second = _run_to_end(host, OOLONG)
    _edit(host, "Brew {{ tea }}", "Steep {{ tea }}")
    refused = host.next(second, answer={"good": True})
    assert refused["error"]["details"] == {"go_back_to": "brew", "step": 2}
    again = host.next(refused)
    assert again["prompt_template"].startswith("Steep oolong for 4 minutes, 3 cups")
    phases = [step.phase for step in host.workspace.memory.journal.steps(again["run"])]
    assert phases == ["choose", "brew"]


def test_a_new_title_or_alias_of_a_finished_phase_changes_nothing_for_the_run(host: Any) -> None:
    first = _run_to_end(host)
    _edit(host, "aliases: [pick]", "aliases: [pick, select]")
    assert host.next(first, answer=OOLONG)["run"] == first["run"]


def test_after_new_rules_of_a_finished_phase_the_run_must_return_to_it(host: Any) -> None:
    second = _run_to_end(host, OOLONG)
    _edit(host, "next_action: brew", 'next_action: [{ when: "inputs.guests > `9`", then: serve }, { then: brew }]')
    refused = host.next(second, answer={"good": True})
    assert refused["error"]["details"] == {"go_back_to": "choose", "step": 1}


def test_a_fork_whose_response_was_lost_is_found_again(host: Any) -> None:
    third = _run_to_end(host, OOLONG, {"good": False})
    once = host("brew", run=third["run"], answer={"tea": "mint", "minutes": 7})
    twice = host("brew", run=third["run"], answer={"tea": "mint", "minutes": 7})
    assert once == twice


def test_a_comment_changes_no_definition(host: Any) -> None:
    first = _run_to_end(host)
    path = host.root / ".aurora" / "workflows" / "tea.yaml"
    path.write_text("# a comment\n" + path.read_text())
    assert host.next(first, answer=OOLONG)["status"] == "complete"


FAILING = """
aurora: 1
name: failing
version: 1.0.0
start: first
on_error: say
phases:
  first:
    inputs: {{ word: {{ type: string, default: x }}, free: {{ default: 1 }} }}
    {what}
  say:
    inputs: {{ why: {{ from: phases.first.error.message, default: nothing, type: string }} }}
    prompt_template: "It went wrong: {{{{ why }}}}"
    answer: {{ type: object }}
    next_action: end
"""

RAISING = {
    "a template that loops for ever": (
        (
            'prompt_template: "{% for i in range(9999) %}{% for j in range(9999) %}x{% endfor %}{% endfor %}"\n'
            "    answer: { type: object }\n    next_action: say"
        ),
        "runs too long",
    ),
    "the length of a value that is not there": (
        'prompt_template: "{{ free.nope | length }}"\n    answer: { type: object }\n    next_action: say',
        "length of value",
    ),
    "an expression that raises": (
        """uses: mem.stats
    with: {}
    next_action:
      - { when: "inputs.word > inputs.free", then: say }
      - { then: say }""",
        "different types",
    ),
    "a rule that is not boolean": (
        'uses: mem.stats\n    with: {}\n    next_action: [{ when: "inputs.free", then: say }, { then: say }]',
        "not true or false",
    ),
    "no rule that holds": (
        "uses: mem.stats\n    with: {}\n    next_action: [{ when: \"inputs.word == 'y'\", then: say }]",
        "no rule",
    ),
    "a result that does not fit its schema": (
        "uses: mem.stats\n    with: {}\n    output: { properties: { files: { maximum: -1 } } }\n    next_action: say",
        "$.files",
    ),
}


@pytest.mark.parametrize("case", sorted(RAISING))
def test_a_failed_phase_is_an_error_that_follows_on_error(host: Any, case: str) -> None:
    what, words = RAISING[case]
    host.write("failing.yaml", FAILING.format(what=what))
    response = host("first", workflow="failing")
    assert response["status"] == "error"
    assert words in response["error"]["message"]
    assert response["next_action"] == "say"
    said = host.next(response)
    assert said["status"] == "complete"
    assert words in said["prompt_template"]


def test_a_read_only_project_stores_nothing_and_passes_the_inputs_along(host: Any, open_host: Any) -> None:
    reader = open_host(read_only=True)
    before = sorted(str(path) for path in host.root.rglob("*"))
    first = reader("choose", workflow="tea", guests=3)
    assert first["run"] is None
    assert first["next_call"] == {
        "tool": "aurora_query",
        "arguments": {"phase": "brew", "workflow": "tea", "guests": 3},
        "needs": {
            "tea": {"type": "string", "minLength": 1},
            "minutes": {"type": "integer", "minimum": 1, "maximum": 10},
        },
    }
    second = reader.next(first, tea="mint", minutes=2)
    assert second["prompt_template"].startswith("Brew mint")
    assert sorted(str(path) for path in host.root.rglob("*")) == before


FAN = """
aurora: 1
name: fan
version: 1.0.0
start: split
phases:
  split:
    inputs: { names: { type: array, items: { type: string } } }
    prompt_template: "Greet {{ who }}."
    for_each: { in: inputs.names, as: who, max: 3 }
    answer: { type: string, minLength: 2 }
    next_action: gather
  gather:
    inputs: { greetings: { from: phases.split.answer, default: [], type: array } }
    prompt_template: "{{ greetings | join('; ') }}"
    answer: { type: object }
    next_action: end
"""


def test_for_each_asks_once_per_item_and_takes_an_answer_for_each(host: Any) -> None:
    host.write("fan.yaml", FAN)
    first = host("split", workflow="fan", names=["Ann", "Bo"])
    assert first["prompt_template"] == ["Greet Ann.", "Greet Bo."]
    needs = first["next_call"]["needs"]["answer"]
    assert (needs["minItems"], needs["maxItems"], needs["items"]) == (2, 2, {"type": "string", "minLength": 2})
    short = host.next(first, answer=["Hello Ann"])
    assert short["error"]["details"]["faults"] == [{"path": "$.answer", "message": "must have at least 2 items, not 1"}]
    wrong = host.next(first, answer=["Hello Ann", "x"])
    assert wrong["error"]["details"]["faults"][0]["path"] == "$.answer[1]"
    assert host.next(first, answer=["Hi Ann", "Hi Bo"])["prompt_template"] == "Hi Ann; Hi Bo"


def test_for_each_over_nothing_asks_nothing(host: Any) -> None:
    host.write("fan.yaml", FAN)
    first = host("split", workflow="fan", names=[])
    assert "prompt_template" not in first
    assert first["next_call"]["needs"] == {}
    assert host.next(first)["prompt_template"] == ""


def test_for_each_reports_how_many_items_follow(host: Any) -> None:
    host.write("fan.yaml", FAN)
    first = host("split", workflow="fan", names=["A", "B", "C", "D", "E"])
    assert len(first["prompt_template"]) == 3
    assert "2 more items follow" in first["guidance"]


def test_after_a_broken_edit_the_last_valid_version_runs_with_a_warning(host: Any) -> None:
    first = _run_to_end(host)
    _edit(host, "start: choose", "start: chose")
    second = host.next(first, answer=OOLONG)
    assert (second["status"], second["phase"]) == ("complete", "brew")
    assert '"start" names "chose", which is not a phase' in second["metadata"]["warning"]
    refused = host("brew", workflow="tea")
    assert "its last valid version runs" in refused["metadata"]["warning"]
    _edit(host, "start: chose", "start: choose")
    third = host.next(second, answer={"good": True})
    assert (third["phase"], "warning" in third["metadata"]) == ("serve", False)


def test_a_workflow_that_was_never_valid_does_not_run(host: Any) -> None:
    _edit(host, "start: choose", "start: chose")
    response = host("choose", workflow="tea", guests=3)
    assert response["error"]["code"] == "INVALID_INPUT"
    assert "aur workflow validate tea" in response["error"]["help"]


def test_a_refused_fork_names_the_existing_run(host: Any) -> None:
    third = _run_to_end(host, OOLONG, {"good": False})
    refused = host("brew", run=third["run"], answer={"tea": ""})
    assert (refused["error"]["code"], refused["run"]) == ("INVALID_INPUT", third["run"])
    assert host.next(refused, answer={"tea": "mint", "minutes": 7})["status"] == "complete"


VISITS = """
aurora: 1
name: visits
version: 1.0.0
start: ask
phases:
  ask:
    inputs:
      early: { from: "run.visits.later == `0`" }
    prompt_template: "{{ run.visits.ask }} {{ run.visits.later }} {{ early }}"
    answer: {}
    next_action:
      - { when: "run.visits.ask > `0`", then: later }
      - { then: ask, max: 1, else: end }
  later:
    prompt_template: "{{ run.visits.later }} {{ run.step }}"
    answer: {}
    next_action: end
"""


def test_a_phase_that_has_not_run_has_no_visits(host: Any) -> None:
    host.write("visits.yaml", VISITS)
    first = host("ask", workflow="visits")
    second = host.next(first, answer="again")
    third = host.next(second, answer="on")
    assert [one["prompt_template"] for one in (first, second, third)] == ["0 0 True", "1 0 True", "0 2"]
    assert [one["status"] for one in (first, second, third)] == ["complete"] * 3


MAYBE = """
aurora: 1
name: maybe
version: 1.0.0
start: ask
phases:
  ask:
    prompt_template: Which tea, if any?
    answer: { type: [string, "null"] }
    next_action: serve
  serve:
    inputs:
      tea: { from: phases.ask.answer, optional: true }
    prompt_template: "{{ tea or 'Water' }}, then. Was it good?"
    answer: { type: boolean }
    next_action: thank
  thank:
    uses: mem.stats
    with: {}
    next_action: end
"""


def test_null_is_an_answer_only_where_the_schema_allows_it(host: Any) -> None:
    host.write("maybe.yaml", MAYBE)
    first = host("ask", workflow="maybe", answer=None, run=None, step=None)
    second = host.next(first, answer=None)
    assert second["prompt_template"] == "Water, then. Was it good?"
    assert host.next(first, answer=None) == second
    left_out = host.next(second, answer=None)
    assert "$.answer is missing" in left_out["error"]["message"]
    assert host.next(second, answer=True)["status"] == "complete"
    assert len(host.workspace.memory.journal.steps(first["run"])) == 3
    assert host.next(first)["run"] == first["run"]


REPEATED = """
aurora: 2
name: repeated
version: 1.0.0
start: plan
phases:
  plan: { prompt_template: Plan., answer: { type: string }, next_action: maybe }
  maybe:
    when: "phases.plan.answer == 'x'"
    prompt_template: Maybe.
    answer: { type: string }
    next_action: read
  read:
    uses: mem.get
    with: { path: "'missing.py'" }
    on_error: ask
    next_action: ask
  ask:
    person: { message: "Go on?", form: { sure: { type: boolean } } }
    next_action: end
"""


def test_a_repeated_call_whose_phase_was_skipped_failed_or_asks_the_person_is_one_call(host: Any) -> None:
    host.write("repeated.yaml", REPEATED)
    plan = host("plan", workflow="repeated")
    skipped = host.next(plan, answer="y")
    assert skipped["metadata"]["passed"][0] == "maybe: skipped"
    assert host.next(plan, answer="y") == skipped
    assert (skipped["phase"], skipped["status"], skipped["next_action"]) == ("read", "error", "ask")
    waiting = host.next(skipped)
    assert waiting["status"] == "waiting"
    assert host.next(skipped) == waiting
    assert host.next(plan, answer="y") == skipped
    assert [row.run for row in host.workspace.memory.journal.runs(10)] == [plan["run"]]
