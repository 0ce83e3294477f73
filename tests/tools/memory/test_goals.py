"""Goals that documents and facts state, and groups of facts; boilerplate is none."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import pytest

from aurora.faults import Code, Fault
from aurora.memory import Chunk
from aurora.memory.analysis import find_stated_goals
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

FACTS = (
    "Hoist the sail when the boat leaves the harbour.",
    "Anchor the boat in the harbour before the storm.",
    "The login page hashes the password of the user.",
    "A user who forgot the password resets it on the login page.",
)
HAS_LIBRARY = importlib.util.find_spec("sklearn") is not None


@pytest.mark.requirement("contextgraph-1", "contextgraph-7", "contextgraph-20", "contextgraph-21")
@pytest.mark.parametrize("name", ["discover_goals", "discover_sub_goals", "mem.goals"])
def test_coherent_themes_are_candidate_goals(workspace: Workspace, name: str) -> None:
    ids = [call_tool(workspace, "mem.add", {"text": text})["id"] for text in FACTS]
    found = call_tool(workspace, name, {"min_confidence": 0.5, "max_goals": 3})
    assert {frozenset(goal["memory_ids"]) for goal in found["goals"]} == {frozenset(ids[:2]), frozenset(ids[2:])}
    assert [goal["confidence"] for goal in found["goals"]] == sorted(
        (goal["confidence"] for goal in found["goals"]), reverse=True
    )
    assert call_tool(workspace, name, {"min_confidence": 1.0})["goals"] == []
    assert call_tool(workspace, name, {"memory_ids": ids[:2]})["looked_at"] == 2


def document(text: str, path: str | None = "README.md", symbol: str = "") -> Chunk:
    return Chunk("know:1", "know", path, 1, 9, symbol, "section", "markdown", text)


@pytest.mark.requirement("contextgraph-10")
@pytest.mark.parametrize(
    ("text", "path", "symbol"),
    [
        ("The primary goal of Tea is to brew every leaf at its own temperature.", "README.md", "Tea"),
        ("The Express philosophy is to provide small, robust tooling for servers.", "Readme.md", "Express"),
        ("Tea aims to keep the core simple but extensible.", "docs/design.rst", "Design"),
        ("It is designed to make getting started quick and easy.", "README.md", "Tea"),
        ("- Brew green tea without bitterness\n", "docs/guide/plan.md", "Plan > Goals"),
        ("- [ ] Brew white tea in the office\n", "NOTES.md", "Roadmap"),
        ("We want to serve tea to a thousand people at once.", None, ""),
    ],
)
def test_a_sentence_that_states_a_goal_is_found(text: str, path: str | None, symbol: str) -> None:
    (goal,) = find_stated_goals([document(text, path, symbol)])
    assert goal.text in " ".join(text.split()).replace("- [ ] ", "- ").lstrip("- ") + " "
    assert 0.7 <= goal.confidence <= 1


@pytest.mark.requirement("contextgraph-10")
@pytest.mark.parametrize(
    ("text", "path", "symbol"),
    [
        (
            "The purpose of this licence is to protect you. Permission is hereby granted, free of charge.",
            "README.md",
            "",
        ),
        ("The goal of the licence is to keep the software free for all.", "LICENSE", ""),
        ("Our mission is to make participation a harassment-free experience.", "README.md", "Conduct"),
        ("The goal of this release was to fix the parser for all.", "CHANGELOG.md", "1.0"),
        (
            "In this case we want to implement a blueprint that renders templates.",
            "docs/patterns/blue.rst",
            "Blueprints",
        ),
        ("The goal of this guide is to familiarize you with the servers.", "docs/index.md", ""),
        ("The idea is to keep each address unique so the following rules apply:", "README.md", ""),
        ("- [x] Brew white tea in the office\n", "NOTES.md", "Roadmap"),
        ("```\nTea aims to keep the core simple but extensible.\n```\n", "README.md", "Tea"),
        ("Tea supports green, black and white leaves.", "README.md", "Features"),
    ],
)
def test_boilerplate_tutorials_and_finished_work_are_no_goals(text: str, path: str, symbol: str) -> None:
    assert find_stated_goals([document(text, path, symbol)]) == []


@pytest.mark.requirement("contextgraph-10")
def test_goals_of_a_project_have_their_places_and_one_without_says_so(workspace: Workspace) -> None:
    (workspace.root / "LICENSE").write_text("Permission is hereby granted, free of charge, to any person.\n")
    call_tool(workspace, "mem.index", {})
    none = call_tool(workspace, "mem.goals", {})
    assert none["goals"] == []
    assert none["note"].startswith("No goal was found")
    (workspace.root / "README.md").write_text("# Tea\n\n## Goals\n\n- Brew green tea without bitterness\n")
    call_tool(workspace, "mem.index", {})
    (goal,) = call_tool(workspace, "mem.goals", {})["goals"]
    assert (goal["goal"], goal["source"], goal["path"]) == (
        "Brew green tea without bitterness",
        "stated",
        "README.md:1-5",
    )


@pytest.mark.requirement("contextgraph-8")
def test_goals_near_to_the_parent_come_first(workspace: Workspace) -> None:
    (workspace.root / "README.md").write_text(
        "# Tea\n\n## Goals\n\n- Hash every password of the login page\n- Sail the boat into every harbour\n"
    )
    call_tool(workspace, "mem.index", {})
    orders = []
    for text in ("Users log in with a safe password.", "The boat sails over the sea."):
        parent = call_tool(workspace, "mem.add", {"text": text})["id"]
        found = call_tool(workspace, "discover_sub_goals", {"parent_goal_id": parent})
        assert found["parent_goal_id"] == parent
        orders.append([goal["goal"].split()[0] for goal in found["goals"]])
    assert orders == [["Hash", "Sail"], ["Sail", "Hash"]]
    with pytest.raises(Fault, match="to be the parent goal") as caught:
        call_tool(workspace, "mem.goals", {"parent_goal_id": "know:none"})
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.requirement("auditgraph-7", "contextgraph-9")
@pytest.mark.parametrize("algorithm", ["hdbscan", "spectral"])
def test_an_algorithm_of_a_library_works_where_it_is_installed_and_is_refused_by_name_elsewhere(
    workspace: Workspace, algorithm: str
) -> None:
    ids = [call_tool(workspace, "mem.add", {"text": text})["id"] for text in FACTS]
    arguments: dict[str, Any] = {"algorithm": algorithm, "min_confidence": 0.3}
    if HAS_LIBRARY:
        found = call_tool(workspace, "mem.goals", arguments)
        assert {id_ for goal in found["goals"] for id_ in goal["memory_ids"]} <= set(ids)
        assert found["goals"]
        return
    with pytest.raises(Fault, match=f'the algorithm "{algorithm}" needs scikit-learn') as caught:
        call_tool(workspace, "mem.goals", arguments)
    assert caught.value.code is Code.UPSTREAM_ERROR
    with pytest.raises(Fault, match="algorithm"):
        call_tool(workspace, "mem.goals", {"algorithm": "magic"})
