"""Each call that brings chunks to a model records their use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.memory import Memory
from aurora.tools.hooks.context import find_prompt_context
from aurora.tools.mcp.offers import read_resource
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
def test_retrieval_and_reading_are_uses(indexed: Workspace, use: Use) -> None:
    first, *_ = pointers = [chunk["id"] for chunk in use("retrieve", {"query": QUERY})["chunks"]]
    expected = dict.fromkeys(pointers, 1)
    assert count_uses(indexed) == expected
    call_tool(indexed, "mem.get", {"ids": [first]}, surface="mcp")
    expected[first] += 1
    assert count_uses(indexed) == expected


@pytest.mark.requirement("prd-67")
def test_the_phase_retrieve_of_a_run_records_what_it_brings(indexed: Workspace) -> None:
    first = call_tool(indexed, "workflow.step", {"phase": "assess", "query": QUERY}, surface="mcp")
    call_tool(indexed, "workflow.step", {"phase": "retrieve", "run": first["run"]}, surface="mcp")
    brought = indexed.memory.journal.steps(first["run"])[-1].document["result"]["chunks"]
    assert brought
    assert count_uses(indexed).keys() == {chunk["id"] for chunk in brought}


def find_chunks(workspace: Workspace, path: str, start: int, end: int) -> set[str]:
    chunks = [one for one in workspace.memory.iter_chunks() if one.path == path]
    return {one.id for one in chunks if one.start_line <= end and one.end_line >= start}


@pytest.mark.requirement("prd-67")
def test_lines_of_a_file_are_a_use_of_the_chunks_that_have_them(indexed: Workspace) -> None:
    path = "src/parser.py"
    call_tool(indexed, "mem.get", {"path": path, "lines": "1-3"}, surface="mcp")
    expected = find_chunks(indexed, path, 1, 3)
    assert expected
    assert expected < find_chunks(indexed, path, 1, 10**6)
    assert count_uses(indexed) == dict.fromkeys(expected, 1)


@pytest.mark.requirement("prd-67")
def test_a_file_read_in_pages_is_one_use_of_each_of_its_chunks(indexed: Workspace) -> None:
    body = "    print('a step of some length')\n" * 15
    text = "\n".join(f"def step_{number}():\n{body}\n" for number in range(80))
    (indexed.root / "long.py").write_text(text)
    call_tool(indexed, "mem.index", {})
    assert len(read_resource(indexed, "aurora://file/long.py")["text"]) > 30_000
    chunks = find_chunks(indexed, "long.py", 1, 10**6)
    assert len(chunks) > 3
    assert {id_: uses for id_, uses in count_uses(indexed).items() if id_ in chunks} == dict.fromkeys(chunks, 1)


@pytest.mark.parametrize("surface", ["cli", "page"])
def test_lines_that_a_person_reads_are_no_use(surface: Surface, indexed: Workspace) -> None:
    call_tool(indexed, "mem.get", {"path": "src/parser.py", "lines": "1-3"}, surface=surface)
    assert count_uses(indexed) == {}


def test_lines_are_shown_without_a_memory_and_make_none(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("pass\n")
    with Workspace(tmp_path) as workspace:
        assert call_tool(workspace, "mem.get", {"path": "a.py"}, surface="mcp")["chunks"]
    assert not (tmp_path / ".aurora").exists()


@pytest.mark.requirement("prd-67")
def test_a_pattern_that_only_the_brief_of_a_run_brings_is_used_once_in_the_run(indexed: Workspace) -> None:
    query = "Compare how the parser and the store report a bad option, and explain the trade-offs of both."
    pattern, _ = indexed.memory.remember(
        type="reas", kind="pattern", symbol=query, text=f"Question: {query}\nAnswer: By BadOption.", metadata={}
    )
    run = call_tool(indexed, "workflow.step", {"phase": "assess", "query": query}, surface="mcp")["run"]
    call_tool(indexed, "workflow.step", {"phase": "retrieve", "run": run}, surface="mcp")
    before = count_uses(indexed).get(pattern, 0)
    for _ in range(2):
        call_tool(indexed, "workflow.step", {"phase": "decompose", "run": run}, surface="mcp")
        brief = indexed.memory.journal.steps(run)[-1].document["result"]
        assert [one["id"] for one in brief["patterns"]] == [pattern]
    retrieved = {one["id"] for one in indexed.memory.journal.steps(run)[1].document["result"]["chunks"]}
    assert before == (pattern in retrieved)
    assert count_uses(indexed)[pattern] == 1


def test_a_pattern_of_a_brief_without_a_run_is_a_use(indexed: Workspace, use: Use) -> None:
    query = "How are bad options reported by the parser?"
    pattern, _ = indexed.memory.remember(type="reas", kind="pattern", symbol=query, text=query, metadata={})
    assert [one["id"] for one in use("decompose", {"query": query})["patterns"]] == [pattern]
    assert count_uses(indexed) == {pattern: 1}


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
