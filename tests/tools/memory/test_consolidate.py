"""Consolidation of near-duplicates, under the names that hosts know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.mcp.offers import read_resource
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

LONG = "Empty the staging server and check its logs by hand before a release"


@pytest.mark.requirement("contextgraph-2", "contextgraph-11", "contextgraph-22")
@pytest.mark.parametrize("name", ["consolidate_memories", "trigger_consolidation"])
@pytest.mark.parametrize("strategy", ["similarity", "temporal", "semantic"])
def test_an_alias_takes_the_strategy_by_its_own_words(workspace: Workspace, name: str, strategy: str) -> None:
    for end in (".", ", please."):
        call_tool(workspace, "mem.add", {"text": LONG + end, "subject": "Releases", "tags": [end]})
    output = call_tool(workspace, name, {"strategy": strategy, "dry_run": True})
    done = call_tool(workspace, name, {"strategy": strategy})
    assert output["merges"] == done["merges"]
    assert (output["backup"], done["merged"], done["looked_at"]) == (None, 1, 2)
    assert sorted(done["merges"][0]["metadata"]["tags"]) == [", please.", "."]
    assert workspace.memory.find_missing([done["merges"][0]["taken"][0]["id"]])


@pytest.mark.requirement("contextgraph-11", "contextgraph-19")
def test_the_least_similarity_and_the_number_of_records_bound_the_merges(workspace: Workspace) -> None:
    for end in (".", ", please.", ", I ask."):
        call_tool(workspace, "mem.add", {"text": LONG + end, "subject": "Releases"})
    look = {"dry_run": True}
    everything = call_tool(workspace, "trigger_consolidation", look)
    assert (everything["looked_at"], everything["merged"]) == (3, 2)
    assert call_tool(workspace, "trigger_consolidation", {**look, "max_memories": 2})["looked_at"] == 2
    assert call_tool(workspace, "trigger_consolidation", {**look, "min_similarity": 1.0})["merged"] == 0


def test_an_unknown_strategy_is_rejected_with_the_known_ones(workspace: Workspace) -> None:
    with pytest.raises(Fault, match="similarity") as caught:
        call_tool(workspace, "mem.consolidate", {"by": "magic"})
    assert caught.value.code is Code.INVALID_INPUT


def merged(workspace: Workspace) -> tuple[str, str]:
    """Return the remaining id of two records, and the merged one."""
    for end in (".", ", please."):
        call_tool(workspace, "mem.add", {"text": LONG + end, "subject": "Releases"})
    (merge,) = call_tool(workspace, "mem.consolidate", {"by": "time"})["merges"]
    return merge["kept"]["id"], merge["taken"][0]["id"]


def test_a_merged_id_leads_to_the_remaining_record_until_the_merge_is_undone(workspace: Workspace) -> None:
    kept, gone = merged(workspace)
    got = call_tool(workspace, "mem.get", {"ids": [gone, kept]})
    assert [chunk["id"] for chunk in got["chunks"]] == [kept]
    assert got["note"] == f'"{gone}" was merged into "{kept}", which is returned.'
    assert read_resource(workspace, f"aurora://chunk/{gone}")["uri"] == f"aurora://chunk/{kept}"
    assert call_tool(workspace, "mem.activation", {"chunks": [gone]})["focus"] == [kept]
    with pytest.raises(Fault, match="there is no record") as caught:
        call_tool(workspace, "mem.forget", {"ids": [gone]})
    assert kept in (caught.value.help or "")
    call_tool(workspace, "mem.undo", {})
    got = call_tool(workspace, "mem.get", {"ids": [gone]})
    assert ([chunk["id"] for chunk in got["chunks"]], got.get("note", "")) == ([gone], "")


def test_an_id_merged_twice_leads_to_the_last_remaining_record(workspace: Workspace) -> None:
    kept, gone = merged(workspace)
    for more in (f"{LONG}, at last.", f"{LONG} at once, please, and at last."):
        call_tool(workspace, "mem.add", {"text": more, "subject": "Releases"})
    (merge,) = call_tool(workspace, "mem.consolidate", {"by": "time"})["merges"]
    last = merge["kept"]["id"]
    assert last != kept
    for old in (kept, gone):
        assert [chunk["id"] for chunk in call_tool(workspace, "mem.get", {"ids": [old]})["chunks"]] == [last]


def test_merged_ids_lead_nowhere_once_the_remaining_record_is_forgotten(workspace: Workspace) -> None:
    kept, gone = merged(workspace)
    call_tool(workspace, "mem.forget", {"ids": [kept]})
    with pytest.raises(Fault, match="there is no chunk") as caught:
        call_tool(workspace, "mem.get", {"ids": [gone]})
    assert caught.value.details["missing"] == [gone]
