"""Language version 2: rules that read answers, phases of rules, items, skipping, workflows in workflows, branches."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from aurora import __version__
from aurora.interpreter import Call
from aurora.interpreter.run.call import PersonReply
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable

REVIEW = """
aurora: 2
name: review_loop
version: 1.0.0
start: write
output:
  text: { from: "phases.write.answer", type: string }
  rounds: { from: "phases.write.visits" }
phases:
  write:
    inputs:
      remarks: { from: "phases.review.answer.remarks", optional: true, type: string }
    prompt_template: "Write it.{% if remarks %} Heed: {{ remarks }}{% endif %}"
    answer: { type: string, minLength: 1 }
    next_action: review
  review:
    inputs: { text: { from: phases.write.answer } }
    prompt_template: "Review: {{ text }}"
    answer:
      type: object
      required: [ok]
      properties: { ok: { type: boolean }, remarks: { type: string } }
    next_action:
      - { when: "answer.ok == `true`", then: end, say: Good. }
      - { then: write, max: 2, else: give_up }
  give_up:
    prompt_template: "Say why, after {{ run.visits.review }} rounds."
    answer: { type: object }
    next_action: end
"""


def load(host: Any, text: str, **inputs: Any) -> dict[str, Any]:
    """Write a workflow and make its first call."""
    name = text.split("name: ", 1)[1].split(maxsplit=1)[0]
    start = text.split("start: ", 1)[1].split(maxsplit=1)[0]
    host.write(f"{name}.yaml", text)
    response: dict[str, Any] = host(start, workflow=name, **inputs)
    return response


def decide(host: Any, response: dict[str, Any], answer: Any) -> dict[str, Any]:
    assert response["status"] != "error", response["error"]
    after: dict[str, Any] = host.next(response, answer=answer)
    assert after["status"] != "error", after["error"]
    return after


def test_a_review_loop_decides_by_the_answer_of_its_own_round(host: Any) -> None:
    first = load(host, REVIEW)
    review = decide(host, first, "one")
    assert review["next_call"]["arguments"] == {"phase": "continue", "run": first["run"], "step": 3}
    assert review["next_call"]["needs"]["answer"]["required"] == ["ok"]
    again = decide(host, review, {"ok": False, "remarks": "shorter"})
    assert again["prompt_template"] == "Write it. Heed: shorter"
    review = decide(host, again, "two")
    assert review["prompt_template"] == "Review: two"
    assert review["next_call"]["arguments"]["step"] == 6
    end = decide(host, review, {"ok": True})
    assert (end["next_action"], end["next_call"], end["guidance"]) == ("end", None, "The run has ended. Good.")
    assert end["output"] == {"text": "two", "rounds": 2}


def test_a_review_loop_gives_up_after_its_last_round_and_takes_the_last_answer(host: Any) -> None:
    response = load(host, REVIEW)
    for _ in range(3):
        response = decide(host, decide(host, response, "text"), {"ok": False})
    assert response["prompt_template"] == "Say why, after 3 rounds."
    refused = host.next(response, answer="not an object")
    assert refused["error"]["code"] == "INVALID_INPUT"
    end = decide(host, response, {"why": "so"})
    assert end["next_action"] == "end"
    assert host.workspace.memory.journal.head(end["run"]).document["status"] == "ended"


def test_a_repeated_answer_gets_the_same_response_and_another_one_forks(host: Any) -> None:
    review = decide(host, load(host, REVIEW), "one")
    again = decide(host, review, {"ok": False})
    assert host.next(review, answer={"ok": False}) == again
    arguments = {**review["next_call"]["arguments"], "step": 3, "answer": {"ok": True}}
    fork = host(**arguments)
    assert fork["metadata"]["forked_from"] == f"{review['run']}:3"
    assert fork["next_action"] == "end"


def test_another_phase_is_out_of_turn_while_an_answer_decides(host: Any) -> None:
    review = decide(host, load(host, REVIEW), "one")
    response = host("give_up", run=review["run"])
    assert response["error"]["code"] == "CONFLICT"
    assert 'phase "review" waits for its answer' in response["error"]["message"]
    assert response["error"]["help"].startswith("Pass `continue` as the phase")
    assert response["next_call"] == review["next_call"]


ROUTES = """
aurora: 2
name: routes
version: 1.0.0
start: route
vars: { large: 3 }
phases:
  route:
    inputs: { size: { type: integer } }
    next_action:
      - { when: "inputs.size > vars.large", then: big }
      - { then: small }
  big:
    when: "inputs.size < `10`"
    prompt_template: "Do it in {{ vars.large }} parts."
    answer: { type: string }
    next_action: report
  small:
    prompt_template: Do it at once.
    answer: { type: string }
    next_action: report
  report:
    inputs: { done: { from: phases.small.answer, optional: true } }
    when: "phases.big.status != 'skipped'"
    prompt_template: "Report {{ done }}."
    answer: { type: string }
    next_action: end
"""


@pytest.mark.parametrize(
    ("size", "prompt", "passed"),
    [
        (1, "Do it at once.", ["route: complete", "small: complete"]),
        (5, "Do it in 3 parts.", ["route: complete", "big: complete"]),
    ],
)
def test_a_phase_of_rules_costs_no_call(host: Any, size: int, prompt: str, passed: list[str]) -> None:
    response = load(host, ROUTES, size=size)
    assert response["prompt_template"] == prompt
    assert response["metadata"]["passed"] == passed


def test_skipped_phases_are_steps_that_lead_on(host: Any) -> None:
    response = load(host, ROUTES, size=20)
    assert response["next_action"] == "end"
    assert response["metadata"]["passed"] == ["route: complete", "big: skipped", "report: skipped"]
    steps = host.workspace.memory.journal.steps(response["run"])
    assert [(step.phase, step.document["status"]) for step in steps] == [
        ("route", "complete"),
        ("big", "skipped"),
        ("report", "skipped"),
    ]


ITEMS = """
aurora: 2
name: items
version: 1.0.0
start: each
phases:
  each:
    inputs: { names: { type: array, items: { type: string } } }
    prompt_template: "{{ loop.index }} of {{ loop.length }}: {{ name }}"
    for_each: { in: inputs.names, as: name, max: 2, limit: 5, else: many }
    answer: { type: string }
    next_action:
      - { when: "length(answers) > `0` && answers[-1] == 'stop'", then: end }
      - { then: join }
  join:
    inputs: { all: { from: phases.each.answers, type: array } }
    prompt_template: "Join {{ all | join('+') }}"
    answer: { type: string }
    next_action: end
  many:
    prompt_template: Too many.
    answer: { type: string }
    next_action: end
"""


def test_every_item_is_asked_about_in_order(host: Any) -> None:
    first = load(host, ITEMS, names=["a", "b", "c"])
    assert first["prompt_template"] == ["1 of 3: a", "2 of 3: b"]
    assert "1 more item follows in the next responses" in first["guidance"]
    second = decide(host, first, ["A", "B"])
    assert second["prompt_template"] == ["3 of 3: c"]
    assert decide(host, second, ["C"])["prompt_template"] == "Join A+B+C"


def test_an_argument_that_nothing_takes_is_refused_next_to_an_answer(host: Any) -> None:
    first = load(host, ITEMS, names=["a", "b", "c"])
    refused = host.next(first, answer=["A", "B"], colour="red")
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert "$.colour is no argument of this call" in refused["error"]["message"]
    assert host.next(refused, answer=["A", "B"])["prompt_template"] == ["3 of 3: c"]


@pytest.mark.parametrize("wrong", [{"step": "two"}, {"detail": "all"}, {"phase": 7}])
def test_a_call_of_a_wrong_type_is_refused_with_the_next_call_of_its_run(host: Any, wrong: dict[str, Any]) -> None:
    first = load(host, ITEMS, names=["a", "b", "c"])
    refused = step_workflow(host.workspace, {**first["next_call"]["arguments"], "answer": ["A", "B"], **wrong})
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert refused["next_call"] == first["next_call"]


def test_an_empty_list_gives_no_prompts_and_no_answers(host: Any) -> None:
    response = load(host, ITEMS, names=[])
    assert response["next_call"]["arguments"]["phase"] == "join"
    assert host.next(response)["prompt_template"] == "Join "


def test_a_list_over_its_limit_takes_the_named_route(host: Any) -> None:
    response = load(host, ITEMS, names=list("abcdef"), detail="full")
    assert response["next_action"] == "many"
    assert response["metadata"]["decision"] == [{"reason": "limit", "then": "many", "fired": True}]


MISFIT = """
aurora: 2
name: misfit
version: 1.0.0
start: ask
output: { n: { from: phases.ask.answer.n, type: integer } }
phases:
  ask:
    prompt_template: Give a number.
    answer: { type: object }
    next_action: end
"""


def test_a_run_whose_output_does_not_fit_ends_with_an_error_and_keeps_the_answer(host: Any) -> None:
    first = load(host, MISFIT)
    end = host.next(first, answer={"n": "seven"})
    assert (end["status"], end["next_action"], end["next_call"]) == ("error", "end", None)
    assert end["error"]["code"] == "WORKFLOW_ERROR"
    assert "output" not in end
    last = host.workspace.memory.journal.steps(first["run"])[-1].document
    assert (last["status"], last["brought"]) == ("error", [{"n": "seven"}])


AROUND_MISFIT = """
aurora: 2
name: outer
version: 1.0.0
start: walk
phases:
  walk:
    workflow: misfit
    on_error: tell
    next_action: end
  tell:
    prompt_template: It failed.
    answer: { type: string }
    next_action: end
"""


def test_a_phase_whose_workflow_has_an_output_that_does_not_fit_fails(host: Any) -> None:
    host.write("misfit.yaml", MISFIT)
    asked = load(host, AROUND_MISFIT)
    assert asked["prompt_template"] == "Give a number."
    assert host.next(asked, answer={"n": "seven"})["prompt_template"] == "It failed."
    failed = host.workspace.memory.journal.steps(asked["run"])[-2].document
    assert (failed["phase"], failed["status"], failed["error"]["code"]) == ("walk", "error", "WORKFLOW_ERROR")


SUB = """
aurora: 2
name: summarize
version: 1.0.0
start: read
output: { summary: { from: phases.write.answer, type: string } }
phases:
  read:
    inputs: { topic: { type: string } }
    next_action: write
  write:
    inputs: { topic: { from: inputs.topic } }
    prompt_template: "Summarize {{ topic }}."
    answer: { type: string }
    next_action: end
"""
OUTER = """
aurora: 2
name: outer
version: 1.0.0
start: one
phases:
  one:
    inputs: { about: { type: string } }
    workflow: summarize
    with: { topic: about }
    next_action:
      - { when: "summary == 'none'", then: end }
      - { then: all }
  all:
    workflow: summarize
    for_each: { in: "['x', 'y']", as: part }
    with: { topic: part }
    next_action: done
  done:
    inputs: { all: { from: "phases.all.result.results[].summary" }, first: { from: phases.one.result.summary } }
    prompt_template: "{{ first }}: {{ all | join(',') }}"
    answer: { type: string }
    next_action: end
"""


def test_a_workflow_runs_as_a_phase_and_for_each_item(host: Any) -> None:
    host.write("summarize.yaml", SUB)
    first = load(host, OUTER, about="tea")
    assert (first["phase"], first["prompt_template"]) == ("one/write", "Summarize tea.")
    assert first["next_call"]["arguments"]["phase"] == "continue"
    response = first
    for answer, prompt in (("T", "Summarize x."), ("X", "Summarize y."), ("Y", "T: X,Y")):
        response = decide(host, response, answer)
        assert response["prompt_template"] == prompt
    assert decide(host, response, "ok")["next_action"] == "end"
    phases = [step.phase for step in host.workspace.memory.journal.steps(first["run"])]
    assert phases[:4] == ["one", "one/read", "one/write", "one/write"]


WALKS = """
aurora: 2
name: walks
version: 1.0.0
start: all
phases:
  all:
    workflow: summarize
    for_each: { in: "['x', 'y']", as: part }
    with: { topic: part }
    next_action: done
  done:
    inputs: { all: { from: phases.all.result.results } }
    prompt_template: "{{ all | length }} walks"
    answer: { type: string }
    next_action: end
"""


def test_each_walk_of_a_workflow_without_an_output_gives_an_empty_one(host: Any) -> None:
    host.write("summarize.yaml", re.sub("output: .*\n", "", SUB))
    response = load(host, WALKS)
    for answer in ("X", "Y"):
        response = decide(host, response, answer)
    assert response["prompt_template"] == "2 walks"


BRANCHES = """
aurora: 2
name: panel
version: 1.0.0
start: judge
phases:
  judge:
    branches:
      safe:
        prompt_template: Is it safe?
        answer: { type: object, required: [ok], properties: { ok: { type: boolean } } }
      fast:
        prompt_template: Is it fast?
        answer: { type: string }
    next_action:
      - { when: "answer.safe.ok", then: end }
      - { then: stop }
  stop:
    inputs: { fast: { from: phases.judge.answer.fast } }
    prompt_template: "Not safe, {{ fast }}."
    answer: { type: string }
    next_action: end
"""


def test_branches_are_done_when_all_are_answered(host: Any) -> None:
    first = load(host, BRANCHES)
    assert first["prompt_template"] == {"safe": "Is it safe?", "fast": "Is it fast?"}
    second = decide(host, first, {"fast": "very"})
    assert second["prompt_template"] == {"safe": "Is it safe?"}
    assert decide(host, second, {"safe": {"ok": False}})["prompt_template"] == "Not safe, very."
    assert decide(host, load(host, BRANCHES), {"safe": {"ok": True}, "fast": "no"})["next_action"] == "end"


GATE = """
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person:
      message: "Delete {{ what }}?"
      form: { sure: { type: boolean } }
      on_decline: stop
    next_action:
      - { when: answer.sure, then: act }
      - { then: stop }
  act:
    prompt_template: Delete it.
    answer: { type: string }
    next_action: end
  stop:
    prompt_template: Stop.
    answer: { type: string }
    next_action: end
"""


def reply(host: Any, run: str, *, accepts: bool, answer: Any = None) -> dict[str, Any]:
    person = PersonReply(accepts, "terminal", "ada")
    response: dict[str, Any] = host.workspace.engine.step(
        Call("continue", run=run, answer=(answer,) if accepts else (), person=person)
    )
    return response


def test_only_the_person_passes_a_gate(host: Any) -> None:
    first = load(host, GATE, what="all")
    assert (first["status"], first["person"]["message"]) == ("waiting", "Delete all?")
    assert first["next_call"] == {
        "tool": "aurora_query",
        "arguments": {"phase": "continue", "run": first["run"], "step": 2},
        "needs": {},
    }
    for arguments in (
        {"phase": "continue"},
        {"phase": "continue", "answer": {"sure": True}},
        {"phase": "act"},
        {"phase": "ask", "what": "all", "answer": {"sure": True}},
        {"phase": "continue", "answer": {"sure": True}, "step": 2},
    ):
        response = host(run=first["run"], **arguments)
        assert response["status"] in {"waiting", "error"}, arguments
    done = reply(host, first["run"], accepts=True, answer={"sure": True})
    assert done["prompt_template"] == "Delete it."
    step = host.workspace.memory.journal.steps(first["run"])[1].document
    assert step["by"] == {"who": "ada", "how": "terminal"}
    assert host.next(first)["prompt_template"] == "Delete it."


def test_a_declined_question_takes_its_route(host: Any) -> None:
    first = load(host, GATE, what="all")
    assert reply(host, first["run"], accepts=False)["prompt_template"] == "Stop."


@pytest.mark.parametrize(
    ("text", "phase", "inputs", "reason"),
    [
        (GATE, "ask", {"what": "all"}, 'phase "ask" asks the person'),
        (REVIEW, "review", {"text": "x"}, 'phase "review" decides by its answer'),
        (OUTER, "one", {"about": "x"}, 'phase "one" runs a workflow'),
    ],
)
def test_a_phase_that_needs_a_run_is_refused_without_one(
    open_host: Callable[..., Any], text: str, phase: str, inputs: dict[str, str], reason: str
) -> None:
    host = open_host(read_only=True)
    host.write("summarize.yaml", SUB)
    host.write("needy.yaml", re.sub("name: .*", "name: needy", text, count=1))
    error = host(phase, workflow="needy", **inputs)["error"]
    assert (error["code"], error["message"]) == (
        "FORBIDDEN",
        f"{reason}, which needs a run, and none is kept in read-only mode",
    )
    assert "without --read-only" in error["help"]


PACED = ROUTES.replace("start: route", "pace: prompt\nstart: route").replace("name: routes", "name: paced")


def test_with_the_pace_of_prompts_one_call_runs_to_the_next_prompt(host: Any) -> None:
    response = load(
        host,
        PACED.replace("next_action: report", "next_action: stats").replace(
            "  report:", "  stats:\n    uses: mem.stats\n    next_action: report\n  report:"
        ),
        size=1,
    )
    after = decide(host, response, "s")
    assert after["prompt_template"] == "Report s."
    assert after["metadata"]["passed"] == ["stats: complete", "report: complete"]


def test_a_caller_cannot_change_what_the_run_knows(host: Any) -> None:
    review = load(host, REVIEW)
    response = host.next(review, answer="one", text="another")
    assert response["error"]["code"] == "INVALID_INPUT"
    assert "cannot be changed: the run knows it from phases.write.answer" in response["error"]["message"]
    host.write(
        "open.yaml",
        REVIEW.replace("name: review_loop", "name: open").replace(
            "{ from: phases.write.answer }", "{ from: phases.write.answer, override: true }"
        ),
    )
    first = host("write", workflow="open")
    assert host.next(first, answer="one", text="another")["prompt_template"] == "Review: another"


def test_too_many_wrong_answers_end_the_attempts(host: Any) -> None:
    first = load(host, REVIEW)
    refused = [host.next(first, answer="") for _ in range(10)]
    assert refused[8]["next_call"] is not None
    assert refused[9]["next_call"] is None
    assert "10 answers to this prompt were refused" in refused[9]["error"]["message"]


def test_history_has_every_visit(host: Any) -> None:
    text = REVIEW.replace(
        "inputs: { text: { from: phases.write.answer } }",
        "inputs: { text: { from: \"join('|', phases.write.answers)\" } }",
    )
    review = decide(host, load(host, text), "one")
    again = decide(host, review, {"ok": False})
    assert decide(host, again, "two")["prompt_template"] == "Review: one|two"


def test_a_template_includes_parts_from_the_workflow_s_folder(host: Any) -> None:
    host.write("parts/tone.md", "Be {{ tone }}.{% include 'parts/end.md' %}\n")
    host.write("parts/end.md", " Stop.")
    text = GREETING.replace("PROMPT", "'Greet. {% include \"parts/tone.md\" %}'")
    assert load(host, text, tone="kind")["prompt_template"] == "Greet. Be kind. Stop."


GREETING = """
aurora: 2
name: greeting
version: 1.0.0
start: greet
phases:
  greet:
    inputs: { tone: { type: string, default: calm } }
    prompt_template: PROMPT
    answer: { type: string }
    next_action: end
"""


@pytest.mark.parametrize("name", ["../secret.md", "/etc/hosts", "absent.md", "parts/loop.md"])
def test_an_include_that_leaves_the_folder_or_never_ends_is_refused(host: Any, name: str) -> None:
    host.write("../secret.md", "secret")
    host.write("parts/loop.md", "{% include 'parts/loop.md' %}{% include 'parts/loop.md' %}")
    response = load(host, GREETING.replace("PROMPT", f"'A {{% include \"{name}\" %}}'"))
    assert response["error"]["code"] == "INVALID_INPUT"
    assert "secret" not in str(response.get("prompt_template"))


def test_one_word_with_a_full_stop_is_a_prompt_and_no_file(host: Any) -> None:
    assert load(host, GREETING.replace("PROMPT", "Continue."))["prompt_template"] == "Continue."


def test_a_renamed_phase_that_was_to_come_is_a_conflict_with_a_way_back(host: Any) -> None:
    first = load(host, REVIEW)
    host.write(
        "review_loop.yaml",
        REVIEW.replace("  review:", "  judge:")
        .replace("next_action: review", "next_action: judge")
        .replace("phases.review", "phases.judge")
        .replace("run.visits.review", "run.visits.judge"),
    )
    response = host.next(first, answer="one")
    assert response["error"]["code"] in {"CONFLICT", "NOT_FOUND"}
    assert response["next_call"]["arguments"]["phase"] == "write"
    assert host.next(response)["prompt_template"] == "Write it."


def test_a_call_without_a_phase_begins_a_run_or_continues_it(host: Any) -> None:
    host.write("review_loop.yaml", REVIEW)
    first = begin(host, workflow="review_loop")
    assert first["phase"] == "write"
    assert begin(host, run=first["run"], answer="one")["prompt_template"] == "Review: one"


def begin(host: Any, **arguments: Any) -> dict[str, Any]:
    """Send a call without a phase."""
    inputs = {name: value for name, value in arguments.items() if name not in {"workflow", "run", "answer"}}
    answer = (arguments["answer"],) if "answer" in arguments else ()
    call = Call("", workflow=arguments.get("workflow"), run=arguments.get("run"), answer=answer, inputs=inputs)
    response: dict[str, Any] = host.workspace.engine.step(call)
    return response


FACTS = """
aurora: 2
name: facts
version: 1.0.0
start: ask
phases:
  ask:
    prompt_template: "{{ run.folder }} {{ run.date }} {{ run.branch }} {{ run.aurora }}"
    answer: { type: string }
    hints: { context: fresh, model: small }
    next_action: end
"""


def test_a_prompt_reads_the_folder_the_date_the_branch_and_the_version(host: Any) -> None:
    subprocess.run(["git", "init", "-q", "-b", "topic/a", str(host.root)], check=True)
    response = load(host, FACTS)
    folder, day, branch, version = response["prompt_template"].split()
    assert folder == f".aurora/runs/{response['run']}"
    assert (host.root / folder).is_dir()
    assert len(day) == len("2026-01-31")
    assert (branch, version) == ("topic/a", __version__)
    assert response["hints"] == {"context": "fresh", "model": "small"}
    assert decide(host, response, "x")["next_action"] == "end"


RECALL = """
aurora: 2
name: recall
version: 1.0.0
start: ask
phases:
  ask:
    inputs:
      list: { optional: true, type: array, items: { type: string } }
      names: { from: "join(', ', inputs.list)", default: nobody, type: string }
    prompt_template: "Greet {{ names }}."
    answer: { type: string }
    next_action: end
"""


def test_an_expression_that_fails_gives_no_value_to_its_input(host: Any) -> None:
    assert load(host, RECALL)["prompt_template"] == "Greet nobody."


LOOP = """
aurora: 2
name: loop
version: 1.0.0
start: a_phase_with_a_long_name_of_38_letters
phases:
  a_phase_with_a_long_name_of_38_letters:
    next_action: [{ then: a_phase_with_a_long_name_of_38_letters, max: 1000, else: done }]
  done: { prompt_template: Done., answer: { type: string }, next_action: end }
"""


def test_a_call_of_very_many_steps_lists_the_first_and_the_last(host: Any) -> None:
    first = load(host, LOOP)
    assert first["metadata"]["step"] == 500
    assert len(first["metadata"]["passed"]) == 41
    assert first["metadata"]["passed"][20] == "460 more steps"
    assert host.next(host.next(first))["prompt_template"] == "Done."


def test_needs_of_branches_have_no_identifiers_unless_a_reference_uses_them(host: Any) -> None:
    text = """
aurora: 2
name: parts
version: 1.0.0
start: ask
phases:
  ask:
    branches:
      plain: { prompt_template: P., answer: { type: integer } }
      linked:
        prompt_template: L.
        answer: { $ref: "#/$defs/short", $defs: { short: { type: string, maxLength: 3 } } }
    next_action: end
"""
    first = load(host, text)
    parts = first["next_call"]["needs"]["answer"]["properties"]
    assert parts["plain"] == {"type": "integer"}
    assert "$id" in parts["linked"]
    assert host.next(first, answer={"plain": 1, "linked": "long"})["error"]["code"] == "INVALID_INPUT"
    assert host.next(first, answer={"plain": 1, "linked": "abc"})["next_action"] == "end"


def test_a_file_in_the_place_of_the_folders_of_runs_is_named(host: Any) -> None:
    host.write("facts.yaml", FACTS)
    (host.root / ".aurora" / "runs").write_text("x", encoding="utf-8")
    error = host("ask", workflow="facts")["error"]
    assert error["code"] == "FORBIDDEN"
    assert "of the run cannot be created" in error["message"]


def test_a_read_only_project_tells_the_branch_and_the_version(host: Any, open_host: Callable[..., Any]) -> None:
    host.write("facts.yaml", FACTS.replace("run.folder", "run.id"))
    told = open_host(read_only=True)("ask", workflow="facts")["prompt_template"]
    assert told.split()[-1] == __version__
