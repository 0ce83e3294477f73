"""Proofs of a workflow: paths, longest run, termination, length of prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.analysis.path_count import PathMetrics, WalkEdge
from aurora.interpreter.analysis.proof import count_paths, estimate_tokens, measure_longest_run, prove_workflow
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def test_the_longest_run_of_soar_uses_every_bound_in_full(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        definition = workspace.workflows.load("soar")
        found = prove_workflow(definition, None)

    # assess, retrieve, three times (decompose, verify), route, collect 21 times, synthesize, record, respond
    assert found.longest_run_calls == measure_longest_run(definition) == 2 + 6 + 1 + 21 + 3
    assert found.paths == count_paths(definition)
    assert found.always_ends
    assert found.phases == 9
    assert found.prompt_tokens.keys() == {"decompose", "collect", "synthesize"}


def test_an_unbounded_cycle_has_no_longest_run() -> None:
    walks = PathMetrics("a", {"a": [WalkEdge("b"), WalkEdge(None)], "b": [WalkEdge("a")]})

    assert walks.measure_longest(lambda _: 1) is None
    assert walks.count_walks() is None


def test_a_used_up_bound_leads_to_the_target_of_its_else() -> None:
    walks = PathMetrics("a", {"a": [WalkEdge("a", 2, "b")], "b": [WalkEdge(None)]})

    assert walks.measure_longest(lambda _: 1) == 4
    assert walks.count_walks() == 1


def test_a_thousand_phases_are_measured_at_once() -> None:
    ways = {f"p{n}": [WalkEdge(f"p{n}", 2, f"p{n + 1}"), WalkEdge(f"p{n + 1}")] for n in range(1000)}
    walks = PathMetrics("p0", {**ways, "p1000": [WalkEdge(None)]})

    assert walks.measure_longest(lambda _: 1) == 3001
    assert walks.count_walks() == 4**1000  # each is left at once, after one round, after two, or because it is spent


def test_too_many_states_give_no_result() -> None:
    ways = {f"p{n}": [WalkEdge(f"p{max(n - 1, 0)}", 2, f"p{n + 1}"), WalkEdge(f"p{n + 1}")] for n in range(60)}
    walks = PathMetrics("p0", {**ways, "p60": [WalkEdge(None)]})

    assert walks.measure_longest(lambda _: 1) is None


def _walked(ways: dict[str, list[WalkEdge]]) -> list[int]:
    """The length of every walk, taken step by step."""
    lengths: list[int] = []
    todo: list[tuple[str, tuple[tuple[str, int], ...], int]] = [("a", (), 1)]
    while todo:
        name, taken, length = todo.pop()
        for index, way in enumerate(ways[name]):
            spent = way.most is not None and taken.count((name, index)) >= way.most
            target = way.instead if spent else way.target
            if target is None:
                lengths.append(length)
            else:
                todo.append((target, (*taken, (name, index)), length + 1))
    return lengths


@st.composite
def _graphs(draw: st.DrawFn) -> dict[str, list[WalkEdge]]:
    """Phases a to d: forward without a bound, anywhere with one."""
    names = ["a", "b", "c", "d"]
    graph: dict[str, list[WalkEdge]] = {}
    for at, name in enumerate(names):
        later = [*names[at + 1 :], None]
        ways = [WalkEdge(draw(st.sampled_from(later))) for _ in range(draw(st.integers(1, 2)))]
        if draw(st.booleans()):
            target = draw(st.sampled_from(names))
            ways.append(WalkEdge(target, draw(st.integers(1, 2)), draw(st.sampled_from(later))))
        graph[name] = ways
    return graph


@settings(max_examples=40, deadline=None)
@given(_graphs())
def test_path_metrics_equal_those_of_enumerated_paths(ways: dict[str, list[WalkEdge]]) -> None:
    lengths = _walked(ways)

    assert PathMetrics("a", ways).measure_longest(lambda _: 1) == max(lengths)
    assert PathMetrics("a", ways).count_walks() == len(lengths)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("word", 1), ("{{ x }} {% if y %}four{% endif %}", 1), ("abcde", 2)]
)
def test_a_prompt_is_measured_by_its_own_words(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
