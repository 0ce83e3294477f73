"""Inputs that do not fit: the answer is asked for again, or the phase fails; no run is stuck."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ONE = """
aurora: 2
name: narrow
version: 1.0.0
start: one
phases:
  one:
    prompt_template: Write.
    answer: { type: object, required: [t], properties: { t: { type: string } } }
    next_action: NEXT
"""
TWO = """
  two:
    prompt_template: Wait.
    answer: { type: string }
    next_action: three
"""
THREE = """
  three:
    inputs: { x: { from: phases.one.answer.t, type: string, maxLength: 5 } }
    prompt_template: "Use {{ x }}."
    answer: { type: string }
    next_action: end
"""
RESCUE = """
    on_error: rescue
  rescue:
    prompt_template: Say why.
    answer: { type: string }
    next_action: end
"""
NARROW = ONE.replace("NEXT", "two") + TWO + THREE
DIRECT = ONE.replace("NEXT", "three") + THREE
DECIDED = ONE.replace("NEXT", "[{ when: \"answer.t == ''\", then: two }, { then: three }]") + TWO + THREE


def start(host: Any, text: str) -> dict[str, Any]:
    """Write a workflow and make its first call."""
    name = text.split("name: ", 1)[1].split(maxsplit=1)[0]
    host.write(f"{name}.yaml", text)
    response = step_workflow(host.workspace, {"workflow": name})
    assert response["status"] != "error", response["error"]
    return response


def list_steps(host: Any, run: str) -> list[Mapping[str, Any]]:
    return [step.document for step in host.workspace.memory.journal.steps(run)]


def test_a_misfit_of_an_earlier_answer_takes_on_error(host: Any) -> None:
    two = host.next(start(host, NARROW + RESCUE), answer={"t": "far too long"})
    failed = host.next(two, answer="ok")
    assert failed["error"]["code"] == "WORKFLOW_ERROR"
    assert failed["error"]["message"].startswith('input "x" of phase "three" does not fit: $.x ')
    assert "phases.one.answer.t" in failed["error"]["message"]
    assert failed["next_action"] == "rescue"
    rescued = host.next(failed)
    assert rescued["prompt_template"] == "Say why."
    assert host.next(rescued, answer="so")["next_action"] == "end"


def test_a_misfit_without_on_error_ends_with_a_code_and_no_further_call(host: Any) -> None:
    two = host.next(start(host, NARROW), answer={"t": "far too long"})
    failed = host.next(two, answer="ok")
    assert (failed["error"]["code"], failed["next_call"]) == ("WORKFLOW_ERROR", None)
    assert failed["guidance"] == failed["error"]["help"]
    fork = host("two", run=failed["run"], step=2, answer={"t": "short"})
    assert host.next(fork, answer="ok")["prompt_template"] == "Use short."


def test_a_misfit_of_this_calls_answer_is_a_wrong_answer(host: Any) -> None:
    first = start(host, DIRECT)
    refused = host.next(first, answer={"t": "far too long"})
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert refused["error"]["details"]["arguments"] == ["answer"]
    assert 'input "x" of phase "three"' in refused["error"]["message"]
    assert list(refused["next_call"]["needs"]) == ["answer"]
    assert host.next(refused, answer={"t": "short"})["prompt_template"] == "Use short."


def test_an_answer_that_decides_is_refused_for_the_input_it_leads_to(host: Any) -> None:
    first = start(host, DECIDED)
    refused = host.next(first, answer={"t": "far too long"})
    assert refused["error"]["details"]["arguments"] == ["answer"]
    assert [step["phase"] for step in list_steps(host, first["run"])] == ["one"]
    assert list(refused["next_call"]["needs"]) == ["answer"]
    assert host.next(refused, answer={"t": "short"})["prompt_template"] == "Use short."


def test_an_answer_that_never_fits_takes_on_error_after_ten(host: Any) -> None:
    response = start(host, DIRECT.replace("next_action: three", "next_action: three\n    on_error: rescue") + RESCUE)
    for _ in range(10):
        assert response["next_call"]["needs"]["answer"]
        response = host.next(response, answer={"t": "far too long"})
    assert response["next_action"] == "rescue"


INNER = """
aurora: 2
name: inner
version: 1.0.0
start: use
output: { done: { from: phases.use.answer } }
phases:
  use:
    inputs: { task: { type: string, maxLength: 5 } }
    prompt_template: "Do {{ task }}."
    answer: { type: string }
    next_action: end
"""
OUTER = """
aurora: 2
name: outer
version: 1.0.0
title: Each
start: list
phases:
  list:
    prompt_template: List.
    answer: { type: array, items: { type: string }, minItems: 1 }
    next_action: each
  each:
    inputs: { tasks: { from: phases.list.answer, type: array } }
    for_each: { in: inputs.tasks, as: task }
    workflow: inner
    with: { task: task }
    on_error: rescue
    next_action: end
  rescue:
    prompt_template: "Say why."
    answer: { type: string }
    next_action: end
"""


def test_a_later_item_that_does_not_fit_fails_the_phase_around_its_workflow(host: Any) -> None:
    host.write("inner.yaml", INNER)
    each = host.next(start(host, OUTER), answer=["short", "far too long", "x"])
    assert each["prompt_template"] == "Do short."
    rescued = host.next(each, answer="done")
    assert rescued["prompt_template"] == "Say why."
    failed = list_steps(host, rescued["run"])[-2]
    assert (failed["phase"], failed["status"], failed["error"]["code"]) == ("each", "error", "WORKFLOW_ERROR")
    assert 'input "task" of phase "use"' in failed["error"]["message"]
    assert failed["inputs"] == {"tasks": ["short", "far too long", "x"]}


def test_a_first_item_that_does_not_fit_is_a_wrong_answer(host: Any) -> None:
    host.write("inner.yaml", INNER)
    refused = host.next(start(host, OUTER), answer=["far too long"])
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert 'input "task" of phase "use"' in refused["error"]["message"]
    assert host.next(refused, answer=["short"])["prompt_template"] == "Do short."


def test_a_value_of_no_answer_that_does_not_fit_is_not_blamed_on_the_answer(host: Any) -> None:
    host.write("inner.yaml", INNER)
    text = OUTER.replace("    for_each: { in: inputs.tasks, as: task }\n", "")
    text = text.replace("task: task }", "task: \"join(' ', ['far too', 'long'])\" }")
    rescued = host.next(start(host, text), answer=["x"])
    assert rescued["prompt_template"] == "Say why."
    assert list_steps(host, rescued["run"])[-2]["error"]["code"] == "WORKFLOW_ERROR"


def test_a_failure_within_a_workflow_does_not_count_as_edited(host: Any) -> None:
    host.write("inner.yaml", INNER)
    each = host.next(start(host, OUTER), answer=["short", "far too long"])
    rescued = host.next(each, answer="done")
    host.write("outer.yaml", OUTER.replace("title: Each", "title: Every"))
    assert host.next(rescued, answer="so")["next_action"] == "end"


def test_a_wrong_answer_within_a_workflow_is_asked_for_again(host: Any) -> None:
    host.write("inner.yaml", INNER)
    each = host.next(start(host, OUTER), answer=["short"])
    refused = host.next(each, answer=7)
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert refused["next_call"] == each["next_call"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("task: task }", "task: \"join(', ', task)\" }"),  # fails for an item
        ("in: inputs.tasks", 'in: "inputs.tasks[0]"'),  # is no list
        ("    on_error: rescue\n", "    on_error: rescue\n    when: phases.list.answer[0]\n"),  # is no boolean
    ],
)
def test_what_fails_before_a_workflow_begins_takes_on_error(host: Any, old: str, new: str) -> None:
    host.write("inner.yaml", INNER)
    text = OUTER.replace("items: { type: string }", "items: {}").replace(old, new)
    response = host.next(start(host, text), answer=[1])
    if response["next_action"] == "rescue":
        assert response["error"]["code"] == "WORKFLOW_ERROR"
        response = host.next(response)
    assert response["prompt_template"] == "Say why."


def test_a_rule_that_fails_on_an_answer_takes_on_error(host: Any) -> None:
    rule = 'on_error: rescue\n    next_action: [{ when: "length(answer.any) == `2`", then: three }]'
    text = DIRECT.replace("next_action: three", rule).replace("t: { type: string } }", "t: { type: string }, any: {} }")
    rescued = host.next(start(host, text + RESCUE), answer={"t": "x", "any": 1})
    assert rescued["prompt_template"] == "Say why."
    failed = list_steps(host, rescued["run"])[-2]
    assert (failed["kind"], failed["status"], failed["brought"]) == ("answer", "error", [{"t": "x", "any": 1}])


# ── no input makes a run stuck ──


Source = tuple[str, str]
"""What an input comes from: the expression, and the type that it has."""
NARROWER = {
    "string": ("", ", maxLength: 2", ", maxLength: 1", ", enum: [a, b]"),
    "array": ("", ", maxItems: 1", ", items: { type: string, maxLength: 2 }", ", minItems: 1"),
    "integer": ("", ", maximum: 1"),
}
FURTHER = ("", "", "", ", override: true", ", optional: true")


@dataclass
class Generator:
    """Makes workflows whose inputs are narrower than what they come from."""

    dice: random.Random
    inner: str = ""
    sources: list[Source] = field(default_factory=list)

    def make(self, name: str) -> str:
        count = self.dice.randint(2, 5)
        pace = self.dice.choice(["phase", "prompt"])
        head = f"aurora: 2\nname: {name}\nversion: 1.0.0\nstart: p0\npace: {pace}\n"
        phases = [line for index in range(count) for line in self._make_phase(index, count)]
        if not self.inner:
            path, kind = self.dice.choice([one for one in self.sources if one[1] == "string"])
            head += f"output: {{ o: {{ from: '{path}', type: {kind}{self.dice.choice(NARROWER[kind])} }} }}\n"
        return "\n".join([head, "phases:", *phases, ""])

    def _make_phase(self, index: int, count: int) -> Iterator[str]:
        after = f"p{index + 1}" if index + 1 < count else "end"
        yield f"  p{index}:"
        inputs = dict(self._make_inputs(index))
        yield f"    inputs: {{ {', '.join(f'{name}: {text}' for name, text in inputs.items())} }}"
        if index and self.dice.random() < 0.2 and "a" in inputs:
            yield "    when: \"phases.p0.answer.t != 'a'\""
        rule, *lines = self._make_work(index, inputs)
        yield from lines
        if self.dice.random() < 0.4 and after != "end":
            yield f"    on_error: p{self.dice.randint(index + 1, count - 1)}"
        rules = [f"{{ then: {after} }}"]
        if rule and self.dice.random() < 0.5:
            rules.insert(0, f'{{ when: "{rule}", then: p{self.dice.randint(0, index)}, max: 2, else: {after} }}')
        yield f"    next_action: [{', '.join(rules)}]"

    def _make_inputs(self, index: int) -> Iterator[tuple[str, str]]:
        if index == 0 and not self.inner:
            yield "a", f"{{ type: string{self.dice.choice(NARROWER['string'])} }}"
        for name in ("b", "c") if self.sources else ():
            path, kind = self.dice.choice(self.sources)
            further = self.dice.choice(NARROWER[kind]) + self.dice.choice(FURTHER)
            yield f"{name}_{kind}", f"{{ from: '{path}', type: {kind}{further} }}"

    def _make_work(self, index: int, inputs: Mapping[str, str]) -> Iterator[str]:
        """Yield a condition of a rule, or nothing, and the lines of the work; note what it is a source of."""
        me = f"phases.p{index}"
        kinds = ["prompt", "prompt", "rules", "branches"] if index else ["prompt"]
        kinds += ["items"] if index and any(name.endswith("array") for name in inputs) else []
        kinds += ["inner"] if self.inner and any(name.endswith("string") for name in inputs) else []
        kinds += ["inner_items"] if self.inner and "items" in kinds else []
        kind = self.dice.choice(kinds)
        taken = next((name for name in inputs if name.endswith("array" if "items" in kind else "string")), "")
        least = self.dice.choice(["t", "t, l", "l, n", "t, n, l"])
        answer = (
            f"{{ type: object, required: [{least}], properties: {{ t: {{ type: string }}, "
            "l: { type: array, items: { type: string } }, n: { type: integer } } }"
        )
        if kind == "prompt":
            yield from ("answer.t == 'a'", f"    prompt_template: Do {index}.", f"    answer: {answer}")
            found = [("answer.t", "string"), ("answer.l", "array"), ("answer.n", "integer"), ("answers[0].t", "string")]
        elif kind == "rules":
            yield f"inputs.{taken} == 'a'" if taken else ""
            found = []
        elif kind == "branches":
            yield from ("answer.x == 'a'", "    branches:")
            yield "      x: { prompt_template: X., answer: { type: string } }"
            yield f"      y: {{ prompt_template: Y., answer: {answer} }}"
            found = [("answer.x", "string"), ("answer.y.l", "array")]
        elif kind == "items":
            yield "length(answers) > `1`"
            yield f"    for_each: {{ in: inputs.{taken}, as: item, max: {self.dice.randint(1, 3)} }}"
            yield from (f"    prompt_template: Do {index}.", f"    answer: {answer}")
            found = [("answers[0].t", "string"), ("answers[].t", "array")]
        elif kind == "inner":
            yield from ("o == 'a'", f"    workflow: {self.inner}", f"    with: {{ a: inputs.{taken} }}")
            found = [("result.o", "string")]
        else:
            yield from ("", f"    for_each: {{ in: inputs.{taken}, as: item }}")
            yield from (f"    workflow: {self.inner}", "    with: { a: item }")
            found = [("result.results[0].o", "string"), ("result.results[].o", "array")]
        self.sources += [(f"{me}.{path}", of) for path, of in found]


def make_workflows(host: Any, seed: int) -> str | None:
    """Write a workflow, and one that runs within it; return its name, or None where the checker refuses one."""
    dice = random.Random(seed)  # noqa: S311 - a repeatable draw
    inner, name = f"within_{seed}", f"flow_{seed}"  # a name of its own, or the last valid file of that name would run
    host.write(f"{inner}.yaml", Generator(dice).make(inner))
    host.write(f"{name}.yaml", Generator(dice, inner).make(name))
    try:
        host.workspace.workflows.load(inner)
        host.workspace.workflows.load(name)
    except Fault:
        return None
    return name


def draw_value(dice: random.Random, schema: Mapping[str, Any]) -> Any:
    """Draw a value that the schema of `needs` allows."""
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            least = schema.get("required", ())
            chosen = [name for name in properties if name in least or dice.random() < 0.5]
            return {name: draw_value(dice, properties[name]) for name in chosen or list(properties)[:1]}
        case "array":
            least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
            return [draw_value(dice, schema.get("items", {})) for _ in range(dice.randint(least, most))]
        case "integer":
            return dice.randint(0, min(3, schema.get("maximum", 3)))
        case "boolean":
            return dice.random() < 0.5
        case _:
            return dice.choice(["a", "b", "abc", "a b c d"])[: schema.get("maxLength", 9)]


MAX_CALLS = 400
"""Ten refusals for each step of five phases, each of them taken three times, with what runs within them."""


def follow_run(host: Any, name: str, dice: random.Random) -> dict[str, Any]:
    """Follow `next_call` with any allowed answers, until there is none; return the last response."""
    response = step_workflow(host.workspace, {"workflow": name})
    for _ in range(MAX_CALLS):
        following = response["next_call"]
        if following is None:
            break
        call = {name: draw_value(dice, schema) for name, schema in following["needs"].items()}
        response = host.next(response, **call)
        if response["status"] != "error":
            assert step_workflow(host.workspace, {**following["arguments"], **call}) == response
    return response


@pytest.mark.parametrize("batch", range(10))
def test_no_run_is_stuck(host: Any, batch: int) -> None:
    ends: Counter[str] = Counter()
    for seed in range(batch * 15, batch * 15 + 15):
        dice, name = random.Random(seed), make_workflows(host, seed)  # noqa: S311 - a repeatable draw
        if name is None:
            continue
        response = follow_run(host, name, dice)
        code = response["error"]["code"] if response.get("error") else "end"
        ends[code] += 1
        assert response["next_call"] is None, (seed, response)
        assert code in {"end", "WORKFLOW_ERROR", "INVALID_INPUT"}, (seed, response)
    assert ends["end"] >= 5, ends


@pytest.mark.parametrize("batch", range(4))
def test_every_run_is_explained_and_replayed_as_it_was_and_within_its_bound(host: Any, batch: int) -> None:
    for seed in range(500 + batch * 15, 515 + batch * 15):
        dice, name = random.Random(seed), make_workflows(host, seed)  # noqa: S311 - a repeatable draw
        if name is None:
            continue
        run = follow_run(host, name, dice)["run"]
        found = call_tool(host.workspace, "workflow.explain", {"run": run})
        assert "file" not in found, seed
        assert not [step for step in found["steps"] if step.get("edited")], seed
        fired = [rule for step in found["steps"] for rule in step.get("rules", ()) if rule["verdict"] == "fired"]
        compared = [rule["parts"][0].get("value") for rule in fired if "== 'a'" in rule.get("when", "")]
        assert set(compared) <= {"a"}, (seed, fired)
        proof = host.workspace.workflows.prove(name)
        calls = [step for step in list_steps(host, run) if step["key"]]
        assert proof.longest_run_calls is None or len(calls) <= proof.longest_run_calls, seed
        assert call_tool(host.workspace, "workflow.backtest", {"workflow": name})["diverged"] == 0, seed


PRINTED = """
aurora: 2
name: printed
version: 1.0.0
start: write
phases:
  write:
    prompt_template: Write.
    answer: { type: string }
    next_action: WAY
  wait: { prompt_template: Wait., answer: { type: string }, next_action: review }
  review:
    inputs: { text: { from: phases.write.answer }, title: { default: x } }
    prompt_template: "Review {{ title }}: {{ text }}"
    answer: { type: string }
    next_action: end
"""
HELD = "[{ when: \"answer == 'wait'\", then: wait }, { then: review }]"


@pytest.mark.parametrize("way", ["review", HELD])
def test_an_answer_that_the_next_prompt_cannot_hold_is_asked_for_again(host: Any, way: str) -> None:
    held = PRINTED.replace("WAY", HELD)
    first = start(host, held if way == HELD else re.sub(" +wait: .*\n", "", held.replace(HELD, way)))
    refused = host.next(first, answer="x" * 100_000)
    assert refused["error"]["code"] == "INVALID_INPUT"
    assert "14,000 fit" in refused["error"]["message"]
    assert 'input "text" has 100,002 of them; send a shorter answer' in refused["error"]["message"]
    assert list(refused["next_call"]["needs"]) == ["answer"]
    assert len(list_steps(host, first["run"])) == 1
    assert host.next(refused, answer="short")["prompt_template"] == "Review x: short"


def test_a_prompt_that_an_earlier_answer_makes_too_long_names_it_and_who_can_shorten_it(host: Any) -> None:
    wait = host.next(start(host, PRINTED.replace("WAY", "wait")), answer="x" * 100_000)
    error = host.next(wait, answer="ok")["error"]
    assert error["code"] == "WORKFLOW_ERROR"
    assert error["message"].endswith('input "text" has 100,002 of them')
    assert error["help"].startswith("Go back for a shorter phases.write.answer, or limit it in the workflow")


def test_after_an_edit_the_help_says_what_is_used_again_and_what_becomes_of_the_answer(host: Any) -> None:
    first = start(host, DIRECT)
    three = host.next(first, answer={"t": "ok"})
    host.write("narrow.yaml", DIRECT.replace("Use {{", "Please use {{"))
    refused = host.next(three, answer="done")
    assert refused["error"]["help"] == (
        'Go back to step 2, phase "three"; its recorded inputs and the answer that led to it are used again unless you '
        "replace them, and what it asks is asked again; the answer of this call was not taken: send it when its "
        "question comes again."
    )
    asked = host.next(refused)
    assert asked["prompt_template"] == "Please use ok."
    assert host.next(asked, answer="done")["next_action"] == "end"
