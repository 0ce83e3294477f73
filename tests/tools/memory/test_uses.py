"""Each call that brings chunks to a model records their use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory import Memory
from aurora.tools.hooks.context import find_prompt_context
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.core import Surface

    Use = Callable[..., dict[str, Any]]

QUERY = "How does the parser report a bad option?"


def count_uses(workspace: Workspace) -> dict[str, int]:
    """Count the recorded uses by chunk."""
    return {one.id: one.uses for one in workspace.memory.rank_active_chunks(first=100)[0] if one.uses}


def search(workspace: Workspace, surface: Surface = "mcp") -> set[str]:
    found = call_tool(workspace, "mem.search", {"query": QUERY}, surface=surface)
    return {hit["id"] for hit in found["hits"]}


@pytest.mark.parametrize("surface", ["mcp", "phase"])
def test_a_search_of_a_model_is_a_use_of_each_hit(surface: Surface, indexed: Workspace) -> None:
    hits = search(indexed, surface)
    assert hits
    assert count_uses(indexed) == dict.fromkeys(hits, 1)


@pytest.mark.parametrize("surface", ["cli", "page"])
def test_the_list_that_a_person_sees_is_no_use(surface: Surface, indexed: Workspace) -> None:
    assert search(indexed, surface)
    assert count_uses(indexed) == {}


@pytest.mark.requirement("prd-67")
def test_retrieval_excerpts_and_reading_are_uses(indexed: Workspace, use: Use) -> None:
    first, *_ = pointers = [chunk["id"] for chunk in use("retrieve", {"query": QUERY})["chunks"]]
    expected = dict.fromkeys(pointers, 1)
    assert count_uses(indexed) == expected
    call_tool(indexed, "mem.get", {"ids": [first]}, surface="mcp")
    expected[first] += 1
    assert count_uses(indexed) == expected
    evidence = {"evidence": {"chunks": 6, "chars": 2400, "weak_below": 0}}
    call_tool(indexed, "context.excerpt", {"query": QUERY, "ids": [first]}, params=evidence, surface="phase")
    expected[first] += 1
    assert count_uses(indexed) == expected


@pytest.mark.requirement("prd-67")
def test_the_phase_retrieve_of_a_run_records_what_it_brings(indexed: Workspace) -> None:
    first = call_tool(indexed, "workflow.step", {"phase": "assess", "query": QUERY}, surface="mcp")
    call_tool(indexed, "workflow.step", {"phase": "retrieve", "run": first["run"]}, surface="mcp")
    brought = indexed.memory.journal.steps(first["run"])[-1].document["result"]["chunks"]
    assert brought
    assert count_uses(indexed).keys() == {chunk["id"] for chunk in brought}


def test_what_a_hook_adds_is_a_use(indexed: Workspace) -> None:
    assert find_prompt_context(indexed, "Why does OptionParser raise BadOption?") is not None
    assert count_uses(indexed)


def test_a_search_never_waits_for_another_writer_and_records_later(indexed: Workspace) -> None:
    with Memory.open(indexed.memory.path) as other, other.store.begin_write():
        hits = search(indexed)
        assert hits
    assert count_uses(indexed) == {}
    search(indexed)
    assert count_uses(indexed) == dict.fromkeys(hits, 2)


def test_a_read_only_search_records_nothing(indexed: Workspace) -> None:
    indexed.memory.close()
    with Workspace(indexed.root, read_only=True) as reading:
        assert search(reading)
        assert count_uses(reading) == {}
    with Workspace(indexed.root) as after:
        assert count_uses(after) == {}
