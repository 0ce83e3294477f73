"""Proofs of a workflow: paths, longest run, termination, length of prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.lab.bounds import WalkEdge, bound_longest_walk, bound_walks
from aurora.interpreter.lab.proof import estimate_tokens, prove_workflow
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from pathlib import Path


def count_one(_: str) -> int:
    return 1


def test_the_longest_run_of_soar_uses_every_bound_in_full(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        found = prove_workflow(workspace.workflows.load("soar"), None)

    # assess, retrieve, three times (decompose, verify), route, collect 21 times, twice (synthesize, record), respond;
    # each of the 20 tasks that collect may ask about can have a response of its own
    assert found.longest_run_calls == 2 + 6 + 1 + 21 * 20 + 5
    assert found.always_ends
    assert found.phases == 9
    assert found.prompt_tokens.keys() == {"decompose", "collect", "synthesize"}


def test_an_unbounded_cycle_has_no_longest_run() -> None:
    ways = {"a": [WalkEdge("b"), WalkEdge(None)], "b": [WalkEdge("a")]}

    assert bound_longest_walk("a", ways, count_one) is None
    assert bound_walks("a", ways) is None


def test_a_used_up_bound_leads_to_the_target_of_its_else() -> None:
    ways = {"a": [WalkEdge("a", 2, "b")], "b": [WalkEdge(None)]}

    assert bound_longest_walk("a", ways, count_one) == 4
    assert bound_walks("a", ways) == 1


@pytest.mark.parametrize("loops", [12, 1000])
def test_phases_in_a_row_are_measured_at_once(loops: int) -> None:
    ways = {f"p{n}": [WalkEdge(f"p{n}", 1, f"p{n + 1}"), WalkEdge(f"p{n + 1}")] for n in range(loops)}
    ways[f"p{loops}"] = [WalkEdge(None)]

    assert bound_longest_walk("p0", ways, count_one) == 2 * loops + 1
    # each is left at once, after its round, or because it is spent
    assert bound_walks("p0", ways) == (3**loops if loops < 13 else None)


def _walk_all(ways: dict[str, list[WalkEdge]]) -> list[str]:
    """The phases of every walk, taken step by step."""
    walks: list[str] = []
    todo: list[tuple[str, tuple[tuple[str, int], ...], str]] = [("a", (), "a")]
    while todo:
        name, taken, walk = todo.pop()
        for index, way in enumerate(ways[name]):
            spent = way.most is not None and taken.count((name, index)) >= way.most
            target = way.instead if spent else way.target
            if target is None:
                walks.append(walk)
            else:
                todo.append((target, (*taken, (name, index)), walk + target))
    return walks


@st.composite
def _graphs(draw: st.DrawFn) -> dict[str, list[WalkEdge]]:
    """Phases a to d: forward without a bound, anywhere with one."""
    names = ["a", "b", "c", "d"]
    graph: dict[str, list[WalkEdge]] = {}
    for at, name in enumerate(names):
        later = [*names[at + 1 :], None]
        ways = [WalkEdge(draw(st.sampled_from(later))) for _ in range(draw(st.integers(0, 2)))]
        if draw(st.booleans()) or not ways:
            target = draw(st.sampled_from(names))
            ways.append(WalkEdge(target, draw(st.integers(1, 2)), draw(st.sampled_from(later))))
        graph[name] = ways
    return graph


@settings(max_examples=60)
@given(_graphs(), st.tuples(*[st.sampled_from([0, 1, 5])] * 4))
def test_no_walk_exceeds_the_bounds(ways: dict[str, list[WalkEdge]], weights: tuple[int, int, int, int]) -> None:
    walks = _walk_all(ways)
    weight = dict(zip("abcd", weights, strict=True)).__getitem__
    longest = bound_longest_walk("a", ways, weight, lambda name: 7 - weight(name))

    assert longest is not None
    assert longest >= max(sum(map(weight, walk)) + 7 - weight(walk[-1]) for walk in walks)
    assert (bound_walks("a", ways) or 0) >= len(walks)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("word", 1), ("{{ x }} {% if y %}four{% endif %}", 1), ("abcde", 2)]
)
def test_a_prompt_is_measured_by_its_own_words(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


HEAD = "aurora: 2\nname: w\nversion: 1.0.0\nstart: a\nphases:\n"
ASKED = "prompt_template: Say it., answer: { type: object }"


A2 = f"  a2: {{ {ASKED}, next_action: end }}\n"
GIVEN = "inputs: { kind: { type: string } }"
RECALLS = "inputs: { before: { from: phases.a.answer } }"
EACH = "inputs: { all: { type: array, maxItems: 7 } }, for_each: { in: inputs.all, as: one, max: 3 }"
PROMPT = "pace: prompt\n"
TOOL = "uses: mem.stats, with: {}, next_action: a2"
FIELDS = "properties: { f: { type: integer, minimum: 1, maximum: 2 } }, additionalProperties: false"
MAYBE_TOLD = f"prompt_template: Say it., answer: {{ type: object, {FIELDS} }}"
TOLD = f"prompt_template: Say it., answer: {{ type: object, required: [f], {FIELDS} }}"
LOW = "{ when: answer.f < `2`, then: end }"  # fails on null
LOW_OR_HIGH = "{ when: answer.f == `1` || answer.f == `2`, then: end }"  # false on null
BOTH = "x: { prompt_template: Say x., answer: {} }, y: { prompt_template: Say y., answer: {} }"


@pytest.mark.parametrize(
    ("phases", "calls"),
    [
        (f"  a: {{ {ASKED}, next_action: end }}\n", 2),  # one more call brings the last answer
        (f"  a: {{ {ASKED}, next_action: [{{ then: a, max: 2, else: end }}] }}\n", 4),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ next_action: a2 }}\n{A2}", 3),
        (f'  a: {{ {EACH}, prompt_template: "Say {{{{ one }}}}", answer: {{}}, next_action: end }}\n', 8),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ next_action: end }}\n", 2),
        (f"  a: {{ branches: {{ {BOTH} }}, next_action: end }}\n", 3),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ {RECALLS}, next_action: a2 }}\n{A2}", 3),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ {RECALLS}, {TOOL} }}\n{A2}{PROMPT}", 3),
        (f"  a: {{ {GIVEN}, next_action: a2 }}\n{A2}", 2),
        (f"  a: {{ {TOLD}, next_action: [{LOW}, {{ then: a2 }}] }}\n{A2}", 3),
        (f"  a: {{ {MAYBE_TOLD}, next_action: [{LOW}, {{ when: answer.f > `1`, then: a2 }}] }}\n{A2}", 3),
        (f"  a: {{ {MAYBE_TOLD}, next_action: [{LOW_OR_HIGH}, {LOW}, {{ then: a2 }}] }}\n{A2}", 3),  # takes 2
    ],
)
def test_the_longest_run_counts_the_calls_that_bring_answers(tmp_path: Path, phases: str, calls: int) -> None:
    (tmp_path / "w.yaml").write_text(HEAD + phases, encoding="utf-8")
    with Workspace(tmp_path, read_only=True) as workspace:
        found = prove_workflow(workspace.workflows.load_file(tmp_path / "w.yaml"), workspace.tools)

    assert found.longest_run_calls == calls


def test_the_calls_of_a_workflow_that_runs_as_a_phase_are_counted_for_each_item(tmp_path: Path) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    inner = HEAD.replace("name: w", "name: inner") + f"  a: {{ {ASKED}, next_action: end }}\n"
    (folder / "inner.yaml").write_text(inner, encoding="utf-8")
    outer = "  a: { inputs: { all: { type: array, maxItems: 5 } }, workflow: inner, with: {}, "
    loop = "for_each: { in: inputs.all, as: one }, next_action: end }\n"
    (folder / "w.yaml").write_text(HEAD + outer + loop, encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        found = workspace.workflows.prove(str(folder / "w.yaml"))

    assert found is not None
    assert found.longest_run_calls == 10


NARROWED = """
aurora: 2
name: narrowed
version: 1.0.0
start: write
phases:
  write: { prompt_template: Write., answer: { type: string }, next_action: check }
  check:
    inputs: { text: { from: phases.write.answer, type: string, override: true NARROWER } }
    next_action:
      - { when: "inputs.text == 'a'", then: check, max: 2, else: end }
      - { then: end }
"""


@pytest.mark.parametrize(("narrower", "answer", "calls"), [("", "a", 5), (", maxLength: 1", "long", 5)])
def test_a_known_value_that_may_not_fit_is_brought_in_a_call_of_its_own(
    tmp_path: Path, narrower: str, answer: str, calls: int
) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "narrowed.yaml").write_text(NARROWED.replace(" NARROWER", narrower), encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        proof = workspace.workflows.prove("narrowed")
        assert proof is not None
        response = step_workflow(workspace, {"workflow": "narrowed"})
        response = step_workflow(workspace, {**response["next_call"]["arguments"], "answer": answer})
        made = 2
        while response["next_call"] is not None:
            response = step_workflow(workspace, {**response["next_call"]["arguments"], "text": "a"})
            made += response["status"] != "error"
    assert (proof.longest_run_calls, made <= calls) == (calls, True)
