"""Retrieval of chunks within a budget, as pointers, with a note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(("level", "most"), [("SIMPLE", 5), ("MEDIUM", 10), ("COMPLEX", 15), ("CRITICAL", 20)])
def test_the_budget_follows_the_complexity(level: str, most: int, workspace: Workspace, use: Use) -> None:
    for number in range(30):
        text = f"def option_{number}(value):\n    return value + {number}\n"
        (workspace.root / "src" / f"option_{number}.py").write_text(text, encoding="utf-8")
    workspace.memory.index(workspace.root)
    assert len(use("retrieve", {"query": "option value", "complexity": level})["chunks"]) == most


def test_a_chunk_is_a_pointer_with_a_short_preview(indexed: Workspace, use: Use) -> None:
    found = use("retrieve", {"query": "OptionParser"}, preview_chars=40)
    pointer = next(chunk for chunk in found["chunks"] if chunk.get("symbol") == "OptionParser")
    whole = indexed.memory.get([pointer["id"]])[0]
    assert (pointer["path"], pointer["lines"]) == ("src/parser.py", f"{whole.start_line}-{whole.end_line}")
    assert "raise BadOption" in whole.text
    assert all(len(chunk["preview"]) <= 40 for chunk in found["chunks"])
    assert "text" not in pointer


def test_one_question_in_other_words_takes_one_place(indexed: Workspace, use: Use) -> None:
    cited = indexed.memory.search("BadOption", limit=1).hits[0].chunk.id
    ways = (
        "How are bad options reported by the parser?",
        "In which way does the parser report bad options?",
        "Explain how bad options are reported in the parser",
        "What does the parser do to report a bad option?",
    )
    for query in ways:
        answer = {
            "query": query,
            "response": "They are ignored.",
            "citations": [cited],
            "confidence": 1.0,
            "verified": 1.0,
        }
        assert use("record", answer)["kind"] == "pattern"
    found = use("retrieve", {"query": ways[0], "complexity": "MEDIUM"})["chunks"]
    assert [chunk["type"] for chunk in found].count("reas") == 1
    assert found[0]["type"] == "code"


def test_an_empty_memory_is_reported(use: Use) -> None:
    found = use("retrieve", {"query": "OptionParser"})
    assert (found["chunks"], found["confidence"]) == ([], 0)
    assert "aur mem index" in found["note"]


def test_poor_matches_are_reported(indexed: Workspace, use: Use) -> None:
    assert indexed.memory.stats().files == 2
    found = use("retrieve", {"query": "guide to whales in the ocean"}, doubtful_below=1.0)
    assert found["note"]
