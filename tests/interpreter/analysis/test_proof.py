"""Proofs of a workflow: paths, longest run, termination, length of prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.analysis.longest_walk import WalkLength, WalkWeights, measure_longest_walk
from aurora.interpreter.analysis.path_count import PathMetrics
from aurora.interpreter.analysis.proof import count_paths, estimate_tokens, measure_longest_run, prove_workflow
from aurora.interpreter.analysis.walk_graph import WalkEdge
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from pathlib import Path


ONE = WalkWeights(lambda _: 1)


def test_the_longest_run_of_soar_uses_every_bound_in_full(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        definition = workspace.workflows.load("soar")
        found = prove_workflow(definition, None)

    # assess, retrieve, three times (decompose, verify), route, collect 21 times, synthesize, record, respond;
    # each of the 20 tasks that collect may ask about can have a response of its own
    assert found.longest_run_calls == measure_longest_run(definition) == 2 + 6 + 1 + 21 * 20 + 3
    assert not found.is_longest_exact
    assert found.paths == count_paths(definition)
    assert found.always_ends
    assert found.phases == 9
    assert found.prompt_tokens.keys() == {"decompose", "collect", "synthesize"}


def test_an_unbounded_cycle_has_no_longest_run() -> None:
    ways = {"a": [WalkEdge("b"), WalkEdge(None)], "b": [WalkEdge("a")]}

    assert measure_longest_walk("a", ways, ONE) is None
    assert PathMetrics("a", ways).measure_longest(ONE) is None
    assert PathMetrics("a", ways).count_walks() is None


def test_a_used_up_bound_leads_to_the_target_of_its_else() -> None:
    ways = {"a": [WalkEdge("a", 2, "b")], "b": [WalkEdge(None)]}

    assert measure_longest_walk("a", ways, ONE) == WalkLength(4, is_exact=True)
    assert PathMetrics("a", ways).count_walks() == 1


def test_a_thousand_phases_are_measured_at_once() -> None:
    ways = {f"p{n}": [WalkEdge(f"p{n}", 2, f"p{n + 1}"), WalkEdge(f"p{n + 1}")] for n in range(1000)}
    ways["p1000"] = [WalkEdge(None)]

    assert measure_longest_walk("p0", ways, ONE) == WalkLength(3001, is_exact=True)
    # each is left at once, after one round, after two, or because it is spent
    assert PathMetrics("p0", ways).count_walks() == 4**1000


def _loop(count: int, most: int, first: int | None = None) -> dict[str, list[WalkEdge]]:
    """Phases in a row, each with a loop to the one before, or to the first."""
    ways = {
        f"p{n}": [WalkEdge(f"p{max(n - 1, 0) if first is None else first}", most, f"p{n + 1}"), WalkEdge(f"p{n + 1}")]
        for n in range(count)
    }
    return {**ways, f"p{count}": [WalkEdge(None)]}


@pytest.mark.parametrize(
    ("count", "most", "to_start", "to_previous"),
    [(8, 3, 117, 54), (5, 10, 156, 96), (3, 100, 604, 504), (1000, 2, 1_002_001, 4_999)],
)
def test_the_longest_run_through_many_loops_is_exact(count: int, most: int, to_start: int, to_previous: int) -> None:
    assert measure_longest_walk("p0", _loop(count, most, 0), ONE) == WalkLength(to_start, is_exact=True)
    assert measure_longest_walk("p0", _loop(count, most), ONE) == WalkLength(to_previous, is_exact=True)


def test_too_many_states_are_not_counted() -> None:
    assert PathMetrics("p0", _loop(60, 2)).count_walks() is None


def test_a_bound_that_no_walk_reaches_is_called_a_bound() -> None:
    # "b" leads to "long" only when its loop is used up, and the loop needs "a", which is entered twice at most
    ways = {
        "a": [WalkEdge("b")],
        "b": [WalkEdge("c", 5, "long"), WalkEdge("c")],
        "c": [WalkEdge("a", 1, None), WalkEdge(None)],
        "long": [WalkEdge(None)],
    }
    weights = WalkWeights({"a": 1, "b": 1, "c": 1, "long": 50}.__getitem__)
    found = measure_longest_walk("a", ways, weights)

    assert found is not None
    assert not found.is_exact
    assert found.length >= 6 == PathMetrics("a", ways).measure_longest(weights)


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
def test_path_metrics_equal_those_of_enumerated_paths(
    ways: dict[str, list[WalkEdge]], weights: tuple[int, int, int, int]
) -> None:
    walks = _walk_all(ways)
    weight = dict(zip("abcd", weights, strict=True)).__getitem__
    both = WalkWeights(weight, lambda name: 7 - weight(name))
    most = max(sum(map(weight, walk)) + 7 - weight(walk[-1]) for walk in walks)
    found = measure_longest_walk("a", ways, both)

    assert PathMetrics("a", ways).measure_longest(both) == most
    assert PathMetrics("a", ways).count_walks() == len(walks)
    assert found is not None
    assert found.length == most if found.is_exact else found.length >= most


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
    ("phases", "calls", "kind"),
    [
        (f"  a: {{ {ASKED}, next_action: end }}\n", 2, "exact"),  # one more call brings the last answer
        (f"  a: {{ {ASKED}, next_action: [{{ then: a, max: 2, else: end }}] }}\n", 4, "exact"),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ next_action: a2 }}\n{A2}", 3, "exact"),
        (f'  a: {{ {EACH}, prompt_template: "Say {{{{ one }}}}", answer: {{}}, next_action: end }}\n', 8, "bound"),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ next_action: end }}\n", 2, "bound"),
        (f"  a: {{ branches: {{ {BOTH} }}, next_action: end }}\n", 3, "bound"),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ {RECALLS}, next_action: a2 }}\n{A2}", 3, "exact"),
        (f"  a: {{ {ASKED}, next_action: b }}\n  b: {{ {RECALLS}, {TOOL} }}\n{A2}{PROMPT}", 3, "exact"),
        (f"  a: {{ {GIVEN}, next_action: a2 }}\n{A2}", 2, "exact"),
        (f"  a: {{ {TOLD}, next_action: [{LOW}, {{ then: a2 }}] }}\n{A2}", 3, "exact"),
        (f"  a: {{ {MAYBE_TOLD}, next_action: [{LOW}, {{ when: answer.f > `1`, then: a2 }}] }}\n{A2}", 3, "bound"),
        (f"  a: {{ {MAYBE_TOLD}, next_action: [{LOW_OR_HIGH}, {LOW}, {{ then: a2 }}] }}\n{A2}", 3, "bound"),  # takes 2
    ],
)
def test_the_longest_run_counts_the_calls_that_bring_answers(
    tmp_path: Path, phases: str, calls: int, kind: str
) -> None:
    (tmp_path / "w.yaml").write_text(HEAD + phases, encoding="utf-8")
    with Workspace(tmp_path, read_only=True) as workspace:
        found = prove_workflow(workspace.workflows.load_file(tmp_path / "w.yaml"), workspace.tools)

    assert (found.longest_run_calls, found.is_longest_exact) == (calls, kind == "exact")


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
    assert (found.longest_run_calls, found.is_longest_exact) == (10, False)


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


@pytest.mark.parametrize(("narrower", "answer", "calls"), [("", "a", 2), (", maxLength: 1", "long", 5)])
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
