"""Reachability and postorder of the phase graph agree with slower references on generated graphs."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.language.definition import find_reachable, list_postorder

Graph = dict[str, list[str]]

NAMES = tuple("abcdefgh")
GRAPHS = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4))
"""Graphs with cycles, loops, repeated edges, and names that have no edges of their own."""
ACYCLIC = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4)).map(
    lambda graph: {name: [target for target in targets if target > name] for name, targets in graph.items()}
)
QUICK = settings(max_examples=80)


def close_transitively(graph: Graph) -> set[tuple[str, str]]:
    """The pairs of names between which a path leads, each name reaching itself (Warshall 1962)."""
    pairs = {(name, name) for name in NAMES}
    pairs |= {(name, target) for name, targets in graph.items() for target in targets}
    for middle, start, end in itertools.product(NAMES, NAMES, NAMES):
        if (start, middle) in pairs and (middle, end) in pairs:
            pairs.add((start, end))
    return pairs


def visit_recursively(start: str, graph: Graph, seen: set[str]) -> list[str]:
    """The postorder as a textbook writes it."""
    if start in seen:
        return []
    seen.add(start)
    order = []
    for target in graph.get(start, ()):
        order += visit_recursively(target, graph, seen)
    return [*order, start]


@QUICK
@given(GRAPHS, st.lists(st.sampled_from(NAMES), max_size=3))
def test_a_name_is_reachable_exactly_when_a_path_leads_to_it(graph: Graph, starts: list[str]) -> None:
    pairs = close_transitively(graph)

    assert find_reachable(starts, graph) == {end for start, end in pairs if start in starts}


@QUICK
@given(GRAPHS, st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES), max_size=3))
def test_the_postorder_is_that_of_a_recursive_search(graph: Graph, start: str, left_out: set[str]) -> None:
    seen, expected_seen = set(left_out), set(left_out)

    order = list_postorder(start, graph, seen)

    assert order == visit_recursively(start, graph, expected_seen)
    assert seen == expected_seen


@QUICK
@given(GRAPHS, st.sampled_from(NAMES))
def test_the_postorder_lists_each_reachable_name_once_and_the_start_last(graph: Graph, start: str) -> None:
    order = list_postorder(start, graph, set())

    assert set(order) == find_reachable([start], graph)
    assert len(order) == len(set(order))
    assert order[-1] == start


@QUICK
@given(ACYCLIC)
def test_without_cycles_every_target_comes_before_what_leads_to_it(graph: Graph) -> None:
    seen: set[str] = set()
    order = [name for start in NAMES for name in list_postorder(start, graph, seen)]

    assert sorted(order) == list(NAMES)
    for name, targets in graph.items():
        assert all(order.index(target) < order.index(name) for target in targets)


@QUICK
@given(GRAPHS, st.sampled_from(NAMES))
def test_a_second_search_with_the_same_seen_names_lists_nothing(graph: Graph, start: str) -> None:
    seen: set[str] = set()
    list_postorder(start, graph, seen)

    assert list_postorder(start, graph, seen) == []


def test_the_edges_are_followed_in_their_order() -> None:
    assert list_postorder("a", {"a": ["c", "b"], "c": ["d"]}, set()) == ["d", "c", "b", "a"]


def test_a_chain_longer_than_the_recursion_limit_is_walked() -> None:
    length = 50_000
    chain = {str(number): [str(number + 1)] for number in range(length)}

    assert len(find_reachable(["0"], chain)) == length + 1
    assert list_postorder("0", chain, set()) == [str(number) for number in range(length, -1, -1)]


def test_no_start_reaches_nothing_and_an_unknown_one_only_itself() -> None:
    assert find_reachable([], {"a": ["b"]}) == set()
    assert find_reachable(["z"], {"a": ["b"]}) == {"z"}
    assert list_postorder("z", {"a": ["b"]}, set()) == ["z"]
