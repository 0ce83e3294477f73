"""A successful run is stored once and found by similar questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Use = Callable[..., dict[str, Any]]

QUESTION = "How are bad options reported by the parser?"


def finished(**more: Any) -> dict[str, Any]:
    return {
        "query": QUESTION,
        "goal": "Tell how bad options are reported",
        "subgoals": [{"id": "s1", "description": "Find BadOption"}],
        "response": "By raising BadOption, which main prints on standard error.",
        "confidence": 0.9,
        "results": [{"id": "s1", "status": "done", "output": "src/parser.py:11"}],
        "verified": 1.0,
        **more,
    }


@pytest.mark.parametrize(("confidence", "kind"), [(0.5, "pattern"), (0.49, "cached"), (0.0, "cached")])
def test_the_kind_follows_the_success_score(confidence: float, kind: str, use: Use) -> None:
    found = use("record", finished(confidence=confidence))
    assert found["success"] == pytest.approx(0.4 * confidence + 0.6, abs=0.001)
    assert (found["kind"], found["created"]) == (kind, True)
    assert found["id"].startswith("reas:")


def test_a_run_below_the_lower_threshold_is_not_stored(workspace: Workspace, use: Use) -> None:
    failed = [{"id": "s1", "status": "failed", "output": "no"}]
    found = use("record", finished(confidence=0.2, results=failed, verified=0.7))
    assert (found["kind"], found["id"], found["created"]) == (None, None, False)
    assert workspace.memory.stats().chunks.get("reas", 0) == 0


def test_unknown_parts_are_left_out_of_the_score(use: Use) -> None:
    found = use("record", {"query": QUESTION, "response": "By raising.", "confidence": 0.7})
    assert found["success"] == 0.7


def test_a_repeated_run_is_stored_once_under_the_same_id(workspace: Workspace, use: Use) -> None:
    first, second = use("record", finished()), use("record", finished())
    assert first["id"] == second["id"]
    assert (first["created"], second["created"]) == (True, False)
    assert workspace.memory.stats().chunks["reas"] == 1


def test_a_similar_question_finds_the_record(indexed: Workspace, use: Use) -> None:
    cited = indexed.memory.search("BadOption", limit=1).hits[0].chunk
    kept = use("record", finished(citations=[cited.id]))
    found = use("retrieve", {"query": "how does the parser report a bad option"})
    assert kept["id"] in [chunk["id"] for chunk in found["chunks"]]
    text = indexed.memory.get([kept["id"]])[0].text
    for part in (
        QUESTION,
        "Tell how bad options are reported",
        "Find BadOption",
        "By raising BadOption",
        "src/parser.py",
    ):
        assert part in text


def test_a_record_survives_a_rebuild(indexed: Workspace, use: Use) -> None:
    kept = use("record", finished())
    (indexed.root / "src" / "parser.py").write_text("VALUE = 1\n", encoding="utf-8")
    indexed.memory.index(indexed.root)
    assert indexed.memory.find_missing([kept["id"]]) == ()


def test_an_unknown_citation_is_rejected_by_name_and_nothing_is_stored(indexed: Workspace, use: Use) -> None:
    real = indexed.memory.search("BadOption", limit=1).hits[0].chunk.id
    with pytest.raises(Fault) as raised:
        use("record", finished(citations=[real, "code:000000000000", "know:nothing"]))
    assert raised.value.code is Code.INVALID_INPUT
    assert raised.value.details["missing"] == ["code:000000000000", "know:nothing"]
    assert '"code:000000000000"' in raised.value.message
    assert real not in raised.value.message
    assert indexed.memory.stats().chunks.get("reas", 0) == 0


def test_a_read_only_project_stores_nothing(root: Path, home: Path, soar: dict[str, Any]) -> None:
    assert home.exists()
    with Workspace(root, read_only=True) as workspace, pytest.raises(Fault) as raised:
        call_tool(workspace, "pattern.record", finished(), params=soar["phases"]["record"]["params"])
    assert raised.value.code is Code.FORBIDDEN
    assert not (root / ".aurora").exists()


def test_a_citation_of_a_merged_record_leads_to_the_remaining_one(workspace: Workspace, use: Use) -> None:
    advice = "Before a release, empty the staging server and check its logs by hand"
    ids = {call_tool(workspace, "mem.add", {"text": text})["id"] for text in (f"{advice}.", f"{advice}, please.")}
    kept = call_tool(workspace, "mem.consolidate", {})["merges"][0]["kept"]["id"]
    (gone,) = ids - {kept}
    found = use("record", finished(citations=[gone]))
    assert found["created"]
    assert workspace.memory.get([found["id"]])[0].metadata["citations"] == [kept]
