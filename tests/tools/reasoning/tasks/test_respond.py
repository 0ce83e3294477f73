"""Response at the end of a run, complete or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Use = Callable[..., dict[str, Any]]

SCORES = {"completeness": 0.9, "consistency": 1.0, "groundedness": 0.8, "routability": 1.0}


def ending(**more: Any) -> dict[str, Any]:
    return {
        "query": "How are bad options reported?",
        "goal": "Tell how bad options are reported",
        "response": "By raising **BadOption**.",
        "citations": ["code:1", "know:2"],
        "confidence": 0.9,
        "chunks": [
            {
                "id": "code:1",
                "type": "code",
                "score": 0.9,
                "path": "src/parser.py",
                "lines": "11-15",
                "symbol": "convert",
            }
        ],
        "results": [{"id": "s1", "status": "done", "output": "found in convert", "critical": True}],
        "verification": {"verdict": "PASS", "score": 0.92, "scores": SCORES, "feedback": ""},
        "recorded": {"success": 0.9, "kind": "pattern", "id": "reas:3", "created": True, "note": "Kept."},
        "reached": ["assess", "retrieve"],
        **more,
    }


@pytest.mark.requirement("prd-75")
def test_quiet_adds_nothing_to_the_answer(use: Use) -> None:
    found = use("respond", ending(verbosity="quiet"))
    assert (found["text"], found["status"]) == ("", "complete")
    repeated = use("respond", ending(verbosity="quiet"), repeats_answer=True)
    assert (repeated["text"], repeated["status"]) == ("By raising **BadOption**.", "complete")


@pytest.mark.requirement("prd-75")
def test_normal_adds_the_sources(use: Use) -> None:
    text = use("respond", ending())["text"]
    assert "- `src/parser.py:11-15` convert" in text
    assert "- `know:2`" in text
    assert "Decomposition" not in text


@pytest.mark.requirement("prd-75")
def test_verbose_adds_the_method(use: Use) -> None:
    text = use("respond", ending(verbosity="verbose"))["text"]
    for part in (
        "**Goal** Tell how bad options are reported",
        "- s1 (done, critical): found in convert",
        "PASS with 0.92 (completeness 0.9, consistency 1, groundedness 0.8, routability 1)",
        "**Confidence** 0.9",
        "Kept. (`reas:3`)",
    ):
        assert part in text


@pytest.mark.requirement("prd-75")
def test_json_returns_a_document(use: Use) -> None:
    found = use("respond", ending(verbosity="json"))
    document = found["document"]
    assert (found["text"], document["answer"]) == ("", "By raising **BadOption**.")
    assert document["sources"][0] == {"id": "code:1", "path": "src/parser.py", "lines": "11-15", "symbol": "convert"}
    assert (document["verification"]["score"], document["record"]["id"]) == (0.92, "reas:3")
    assert (document["error"], document["way_out"]) == (None, None)


def test_doubts_and_missing_tasks_are_listed(use: Use) -> None:
    lost = [
        {"id": "s1", "status": "failed", "output": "no such file", "critical": True},
        {"id": "s2", "status": "skipped", "output": 'Not done: it needs "s1", which failed.'},
    ]
    found = use("respond", ending(confidence=0.3, results=lost))
    assert found["status"] == "partial"
    assert "- s1 (failed, critical): no such file" in found["text"]
    assert "- s2 (skipped)" in found["text"]
    assert "**Check this:**" in found["text"]


def test_an_empty_outcome_names_the_next_step(use: Use, soar: dict[str, Any]) -> None:
    found = use("respond", {})
    assert found["status"] == "stopped"
    assert "No answer was reached" in found["text"]
    assert soar["phases"]["respond"]["params"]["way_out"] in found["text"]


def test_a_failure_is_reported_with_its_remedy_and_the_progress(use: Use) -> None:
    error = {"code": "TIMEOUT", "message": "the database is locked", "help": "Close the other program.", "details": {}}
    found = use("respond", {"error": error, "reached": ["assess", "retrieve"]})
    assert "The run went through assess, retrieve." in found["text"]
    assert "It stopped because the database is locked (TIMEOUT). Close the other program." in found["text"]


def test_a_failed_verification_is_the_reason_of_the_stop(use: Use) -> None:
    check = {
        "verdict": "RETRY",
        "score": 0.55,
        "scores": SCORES,
        "feedback": '- no subgoal mentions "x"',
    }
    text = use("respond", {"verification": check})["text"]
    assert "the decomposition scored 0.55" in text
    assert 'no subgoal mentions "x"' in text


@pytest.mark.parametrize("verbosity", ["normal", "verbose", "json"])
def test_no_response_is_longer_than_a_host_shows(verbosity: str, use: Use) -> None:
    results = [{"id": f"s{at}", "status": "done", "output": "x" * 5000} for at in range(20)]
    found = use("respond", ending(verbosity=verbosity, response="y" * 12_000, results=results, citations=[]))
    assert len(json.dumps(found)) < 15_500
