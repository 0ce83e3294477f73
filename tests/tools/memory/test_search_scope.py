"""A search may be limited to the records of one workflow, and a run decides between nearly equal hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Chunk, Hit, StepRow
from aurora.tools.memory.hits import boost_touched, collect_touched
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace


def hit(path: str, score: float) -> Hit:
    chunk = Chunk(f"code:{path}", "code", path, 1, 1, "f", "function", "python", "x")
    return Hit(chunk, score, "x", {"file": score})


def steps(*values: Any) -> list[StepRow]:
    return [StepRow("r", number, "a", "", {"result": value}) for number, value in enumerate(values, 1)]


@pytest.mark.requirement("aura-10")
def test_a_touched_hit_wins_only_between_nearly_equal_scores() -> None:
    hits = [hit("a.py", 0.80), hit("b.py", 0.79), hit("c.py", 0.60)]
    touched = collect_touched(steps({"evidence": [{"path": "b.py"}]}, "see c.py:3-4."))
    found = boost_touched(hits, touched)
    assert [one.chunk.path for one in found] == ["b.py", "a.py", "c.py"]
    assert found[0].parts["run"] > 1
    assert "run" not in found[1].parts
    assert boost_touched(hits, collect_touched(steps({"evidence": []}))) == hits


def test_a_chunk_is_touched_by_its_id_too() -> None:
    touched = collect_touched(steps(["code:b.py"]))
    assert boost_touched([hit("a.py", 0.5), hit("b.py", 0.5)], touched)[0].chunk.path == "b.py"


@pytest.mark.requirement("aura-10")
def test_a_search_for_a_run_has_the_same_hits_and_prefers_what_it_touched(indexed: Workspace) -> None:
    call_tool(indexed, "workflow.step", {"phase": "assess", "query": "How does src/parser.py report a bad option?"})
    plain = call_tool(indexed, "mem.search", {"query": "bad option"})["hits"]
    steered = call_tool(indexed, "mem.search", {"query": "bad option", "run": "last", "parts": True})["hits"]
    assert {one["id"] for one in plain} == {one["id"] for one in steered}
    assert all(("run" in one["parts"]) == (one.get("path") == "src/parser.py") for one in steered)
    with pytest.raises(Fault, match='there is no run "aaaaaaaa"') as caught:
        call_tool(indexed, "mem.search", {"query": "option", "run": "aaaaaaaa"})
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.requirement("triads-1")
def test_a_search_within_a_workflow_finds_only_the_records_of_its_runs(indexed: Workspace) -> None:
    for workflow, text in (("design", "Options are parsed in one pass."), ("feature", "Options are parsed twice.")):
        indexed.memory.remember(type="reas", kind="pattern", symbol=text, text=text, metadata={"workflow": workflow})
    found = call_tool(indexed, "query_knowledge_graph", {"query": "options parsed", "triad": "design"})
    assert [one["preview"] for one in found["hits"]] == ["Options are parsed in one pass."]


@pytest.mark.requirement("triads-1", "triads-2")
def test_a_search_within_a_workflow_without_records_takes_all_knowledge_and_says_so(indexed: Workspace) -> None:
    text = "Options are parsed in one pass."
    indexed.memory.remember(type="reas", kind="pattern", symbol=text, text=text, metadata={"workflow": "soar"})
    everything = call_tool(indexed, "mem.search", {"query": "options parsed", "limit": 3})
    for name, key, workflow in (("mem.search", "workflow", "bug-fix"), ("query_knowledge_graph", "triad", "design")):
        found = call_tool(indexed, name, {"query": "options parsed", "limit": 3, key: workflow})
        assert [one["id"] for one in found["hits"]] == [one["id"] for one in everything["hits"]] != []
        assert f'No past reasoning of the workflow "{workflow}" fits; this is from ' in found["note"]


def test_a_search_within_a_workflow_that_does_not_exist_says_so(indexed: Workspace) -> None:
    call_tool(indexed, "mem.add", {"text": "Options are parsed in one pass."})
    note = call_tool(indexed, "mem.search", {"query": "options", "workflow": "nope"})["note"]
    assert note.startswith('There is no workflow "nope": there are "bug-fix", "check", "code-review", ')
    near = call_tool(indexed, "mem.search", {"query": "options", "workflow": "code-reviews"})["note"]
    assert near == 'There is no workflow "code-reviews": did you mean "code-review"?'


def test_records_of_a_workflow_that_was_removed_are_found(indexed: Workspace) -> None:
    text = "Options are parsed in one pass."
    indexed.memory.remember(type="reas", kind="pattern", symbol=text, text=text, metadata={"workflow": "removed"})
    found = call_tool(indexed, "mem.search", {"query": "options parsed", "workflow": "removed"})
    assert [one["preview"] for one in found["hits"]] == [text]
    assert "There is no workflow" not in found.get("note", "")
