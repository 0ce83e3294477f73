"""Brief of a decomposition with agents and patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace

    Use = Callable[..., dict[str, Any]]


@pytest.mark.requirement("prd-71")
def test_the_number_of_subgoals_grows_with_the_complexity(use: Use, soar: dict[str, Any]) -> None:
    spans = soar["phases"]["decompose"]["params"]["subgoals"]
    most = []
    for level in ("MEDIUM", "COMPLEX", "CRITICAL"):
        found = use("decompose", {"query": "anything", "complexity": level})
        assert (found["least"], found["most"]) == (spans[level]["least"], spans[level]["most"])
        assert 1 <= found["least"] < found["most"]
        most.append(found["most"])
    assert most == sorted(set(most))


def test_matching_agents_come_first_with_truncated_descriptions(root: Path, use: Use) -> None:
    folder = root / ".claude" / "agents"
    folder.mkdir(parents=True)
    for name, description in (("alpha", "Draws pictures"), ("zeta", "Reviews parsers " + "at length " * 50)):
        text = f"---\nname: {name}\ndescription: {description}\n---\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    found = use("decompose", {"query": "review the parser"})
    assert [agent["name"] for agent in found["agents"]] == ["zeta", "alpha"]
    assert len(found["agents"][0]["description"]) == 160
    assert [agent["name"] for agent in use("decompose", {"query": "review the parser"}, agents=1)["agents"]] == ["zeta"]


def test_a_similar_answered_question_is_found(workspace: Workspace, use: Use) -> None:
    question = "How are bad options reported by the parser?"
    name, created = workspace.memory.remember(
        type="reas",
        kind="pattern",
        symbol="Tell how bad options are reported",
        text=f"Question: {question}\nAnswer: By BadOption.",
        metadata={},
    )
    assert created
    found = use("decompose", {"query": question})
    assert [pattern["id"] for pattern in found["patterns"]] == [name]
    assert found["patterns"][0]["title"] == "Tell how bad options are reported"


def test_an_empty_memory_has_no_pattern(use: Use) -> None:
    assert use("decompose", {"query": "How are bad options reported?"})["patterns"] == []
