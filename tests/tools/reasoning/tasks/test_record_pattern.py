"""A successful run is stored once and found by similar questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.memory import records
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
        "confidence": 1.0,
        "results": [{"id": "s1", "status": "done", "output": "src/parser.py:11"}],
        "verified": 1.0,
        **more,
    }


@pytest.fixture
def cited(indexed: Workspace) -> str:
    """The id of the chunk that answers the question."""
    return indexed.memory.search("BadOption", limit=1).hits[0].chunk.id


def edit_cited(indexed: Workspace) -> None:
    """Change the text of the cited chunk, and index it."""
    file = indexed.root / "src" / "parser.py"
    file.write_text(file.read_text(encoding="utf-8").replace("cannot be converted", "is not known"), encoding="utf-8")
    indexed.memory.index(indexed.root)


def test_an_answer_whose_citation_has_nothing_to_do_with_it_is_not_stored(workspace: Workspace, use: Use) -> None:
    (workspace.root / "LICENSE.md").write_text("# License\n\nUse and copy this work freely.\n", encoding="utf-8")
    workspace.memory.index(workspace.root)
    other = workspace.memory.search("license copy freely", limit=1).hits[0].chunk
    found = use("record", finished(response="They are never shown to anyone.", citations=[other.id]))
    assert (found["kind"], found["id"]) == (None, None)
    assert "shares no word with the question" in found["note"]


@pytest.mark.parametrize(
    ("parts", "success", "kind"),
    [
        ({"confidence": 1.0, "verified": 1.0}, 1.0, "pattern"),
        ({"confidence": 1.0, "verified": 0.5}, 0.8, "pattern"),
        ({"confidence": 1.0, "verified": 0.0}, 0.6, "cached"),
        ({"confidence": 0.8, "verified": 1.0}, 0.8, "pattern"),
        ({"confidence": 0.79, "verified": 1.0}, 0.79, "cached"),
        ({"confidence": 0.49, "verified": 1.0}, 0.49, None),
    ],
)
def test_the_kind_follows_tasks_and_decomposition_and_the_confidence_only_lowers(
    parts: dict[str, float], success: float, kind: str | None, cited: str, use: Use
) -> None:
    found = use("record", finished(**parts, citations=[cited]))
    assert (found["success"], found["kind"]) == (success, kind)
    assert found["created"] is (kind is not None)


def test_a_run_below_the_lower_threshold_is_not_stored(indexed: Workspace, cited: str, use: Use) -> None:
    failed = [{"id": "s1", "status": "failed", "output": "no"}]
    found = use("record", finished(results=failed, verified=0.7, citations=[cited]))
    assert (found["kind"], found["id"], found["created"]) == (None, None, False)
    assert indexed.memory.stats().chunks.get("reas", 0) == 0


def test_the_confidence_alone_stores_nothing(indexed: Workspace, cited: str, use: Use) -> None:
    answer = {"query": QUESTION, "response": "By raising.", "confidence": 1.0, "citations": [cited]}
    assert use("record", answer)["success"] == 0.0
    assert indexed.memory.stats().chunks.get("reas", 0) == 0


def test_an_answer_without_a_citation_is_not_stored(indexed: Workspace, use: Use) -> None:
    found = use("record", finished())
    assert (found["kind"], found["id"], found["created"]) == (None, None, False)
    assert "cites no code or document" in found["note"]
    assert indexed.memory.stats().chunks.get("reas", 0) == 0


@pytest.mark.parametrize("pattern", [True, False])
def test_a_record_alone_is_no_citation(indexed: Workspace, use: Use, *, pattern: bool) -> None:
    record = call_tool(indexed, "mem.add", {"text": "Errors are reported by mail.", "pattern": pattern})["id"]
    found = use("record", finished(citations=[record]))
    assert found["kind"] is None
    assert "cites no code or document" in found["note"]


def test_a_fact_that_a_person_confirmed_is_a_citation(indexed: Workspace, use: Use) -> None:
    fact = call_tool(indexed, "mem.add", {"text": "Errors are reported by mail."})["id"]
    records.confirm_record(indexed.memory.store, fact, by="ada", how="terminal")
    assert use("record", finished(citations=[fact]))["created"]


def test_a_repeated_run_is_stored_once_under_the_same_id(indexed: Workspace, cited: str, use: Use) -> None:
    first, second = (use("record", finished(citations=[cited])) for _ in range(2))
    assert first["id"] == second["id"]
    assert (first["created"], second["created"]) == (True, False)
    assert indexed.memory.stats().chunks["reas"] == 1


def test_the_newer_answer_to_the_same_question_replaces_the_older(indexed: Workspace, cited: str, use: Use) -> None:
    answers = [
        use("record", finished(query=query, response=f"By raising, version {number}.", citations=[cited]))
        for number, query in enumerate((QUESTION, QUESTION, f"  {QUESTION.upper()}!", QUESTION.replace("?", "")))
    ]
    assert [one["created"] for one in answers] == [True] * 4
    assert "in place of 1 older answer" in answers[-1]["note"]
    assert indexed.memory.stats().chunks["reas"] == 1
    older = [one["id"] for one in answers[:-1]]
    assert indexed.memory.map_merged_ids(older) == dict.fromkeys(older, answers[-1]["id"])
    hits = indexed.memory.search(QUESTION, types=("reas",)).hits
    assert [hit.chunk.id for hit in hits] == [answers[-1]["id"]]


def test_an_answer_that_a_person_confirmed_is_replaced_only_when_its_citations_changed(
    indexed: Workspace, cited: str, use: Use
) -> None:
    first = use("record", finished(citations=[cited]))
    records.confirm_record(indexed.memory.store, first["id"], by="ada", how="terminal")
    guide = indexed.memory.search("Reporting errors", types=("know",), limit=1).hits[0].chunk.id
    second = use("record", finished(response="By silence.", citations=[guide]))
    assert (second["kind"], second["id"]) == (None, None)
    assert first["id"] in second["note"]
    edit_cited(indexed)
    third = use("record", finished(response="By silence.", citations=[guide]))
    assert third["created"]
    assert indexed.memory.find_missing([first["id"]]) == (first["id"],)


def test_the_same_answer_again_gets_the_hashes_of_todays_text(indexed: Workspace, cited: str, use: Use) -> None:
    first = use("record", finished(citations=[cited]))
    edit_cited(indexed)
    assert indexed.memory.search(QUESTION, types=("reas",)).hits[0].doubtful
    now = indexed.memory.search("BadOption", limit=1).hits[0].chunk.id
    assert now != cited
    assert use("record", finished(citations=[now]))["id"] == first["id"]
    assert not indexed.memory.search(QUESTION, types=("reas",)).hits[0].doubtful


def test_a_record_says_what_it_cites(indexed: Workspace, cited: str, use: Use) -> None:
    kept = use("record", finished(citations=[cited]))
    (chunk,) = indexed.memory.get([cited])
    (citation,) = indexed.memory.get([kept["id"]])[0].metadata["citations"]
    assert citation == {"id": cited, "path": "src/parser.py", "symbol": chunk.symbol, "hash": citation["hash"]}
    assert len(citation["hash"]) == 16


@pytest.mark.requirement("triads-40")
def test_a_similar_question_finds_the_record(indexed: Workspace, cited: str, use: Use) -> None:
    kept = use("record", finished(citations=[cited]))
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
    records.confirm_record(workspace.memory.store, kept, by="ada", how="terminal")
    (gone,) = ids - {kept}
    found = use("record", finished(query="What must be done before a release?", citations=[gone]))
    assert found["created"]
    assert [one["id"] for one in workspace.memory.get([found["id"]])[0].metadata["citations"]] == [kept]
