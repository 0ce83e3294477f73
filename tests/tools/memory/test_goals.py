"""Goals that documents and facts state, and groups of facts; boilerplate is none."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Chunk
from aurora.memory.goals import find_stated_goals
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


UNRELATED = (
    "Payments go through Stripe.",
    "Frontend uses React.",
    "Logs are kept 30 days.",
    "Backups run nightly at two.",
    "The database is Postgres 15.",
    "Deploys happen on Friday morning.",
)


@pytest.mark.requirement("contextgraph-10", "contextgraph-21")
@pytest.mark.parametrize("least", [0.0, 0.6])
def test_unrelated_facts_are_no_goal_whatever_the_least_confidence(workspace: Workspace, least: float) -> None:
    for text in UNRELATED:
        call_tool(workspace, "mem.add", {"text": text})
    found = call_tool(workspace, "mem.goals", {"min_confidence": least})
    assert (found["goals"], found["looked_at"]) == ([], 6)
    assert "0.6" in found["note"]


@pytest.mark.requirement("contextgraph-10", "contextgraph-21")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Backups run nightly at two.", "The backup runs every night at 2."),
        ("Logs are kept 30 days.", "We keep logs for thirty days."),
        ("Payments go through Stripe.", "Stripe handles our payments."),
        ("The API must stay backward compatible.", "Keep the API backwards compatible."),
        ("Customers ask for dark mode in the dashboard.", "Many users ask for a dark theme of the dashboard."),
    ],
)
def test_two_facts_that_say_nearly_the_same_are_a_candidate_among_unrelated_ones(
    workspace: Workspace, one: str, other: str
) -> None:
    ids = {text: call_tool(workspace, "mem.add", {"text": text})["id"] for text in (*UNRELATED, one, other)}
    (goal,) = call_tool(workspace, "mem.goals", {})["goals"]
    assert set(goal["memory_ids"]) == {ids[one], ids[other]}
    assert 0.6 <= goal["confidence"] <= 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploys happen on Friday morning.", "Deploys need two approvals."),
        ("Logs are kept 30 days.", "Logs are written as JSON lines."),
        ("The API is versioned by URL.", "The API returns JSON."),
        ("The staging server is called otter.", "The production server is called badger."),
    ],
)
def test_two_facts_of_one_subject_are_no_goal(workspace: Workspace, one: str, other: str) -> None:
    for text in (one, other):
        call_tool(workspace, "mem.add", {"text": text})
    assert call_tool(workspace, "mem.goals", {"min_confidence": 0.0})["goals"] == []


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
@pytest.mark.parametrize(
    ("text", "path", "symbol"),
    [
        ("Whereas, the aim of docopt is to build the most beautiful interfaces there are.", "docs/why.md", "Why"),
        ("Argparse aims to replace optparse in the standard library.", "docs/why.rst", "Why Click?"),
        ("The goal of docopt is to parse what the help says.", "docs/design.md", "Design > Alternatives"),
        ("> The aim of docopt is to build the most beautiful interfaces there are.\n", "README.md", "Click"),
        ('They write: "The aim of docopt is to build the most beautiful interfaces".', "docs/about.md", "About"),
    ],
)
def test_a_goal_of_another_project_in_a_quotation_or_a_comparison_is_none(text: str, path: str, symbol: str) -> None:
    assert find_stated_goals([document(text, path, symbol)], names=("Click",)) == []


@pytest.mark.requirement("contextgraph-10")
@pytest.mark.parametrize(
    "text",
    [
        "Click aims to make the process of writing command line tools quick and fun.",
        "The aim of click is to make the process of writing tools fun.",
        "Our goal is to make the process of writing tools fun.",
        "The goal of the project is to make the process of writing tools fun.",
        "This package aims to make the process of writing tools fun.",
        "It aims to make the process of writing tools fun.",
    ],
)
def test_a_goal_of_the_project_itself_on_a_page_of_comparison_is_one(text: str) -> None:
    (goal,) = find_stated_goals([document(text, "docs/why.md", "Why Click?")], names=("click",))
    assert goal.text == text


def test_the_heading_of_the_readme_names_the_project() -> None:
    readme = document("Click is a package.", "README.md", "$ click_ > Donate")
    page = document("Click aims to make writing command line tools fun.", "docs/why.md", "Why")
    (goal,) = find_stated_goals([readme, page])
    assert goal.text.startswith("Click aims")


@pytest.mark.requirement("contextgraph-10")
def test_the_note_says_which_documents_are_read(workspace: Workspace) -> None:
    (workspace.root / "docs").mkdir(exist_ok=True)
    text = "# Compatibility\n\nTea aims to be broadly compatible with the API of coffee.\n"
    (workspace.root / "docs" / "compatibility.md").write_text(text)
    call_tool(workspace, "mem.index", {})
    note = call_tool(workspace, "mem.goals", {})["note"]
    assert "readme, index, about" in note
    assert "no document" not in note


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
@pytest.mark.skipif(HAS_LIBRARY, reason="scikit-learn is installed")
@pytest.mark.parametrize("algorithm", ["hdbscan", "spectral"])
@pytest.mark.parametrize("facts", [0, 1])
def test_an_algorithm_without_its_library_is_refused_before_any_fact_is_read(
    workspace: Workspace, algorithm: str, facts: int
) -> None:
    for text in FACTS[:facts]:
        call_tool(workspace, "mem.add", {"text": text})
    with pytest.raises(Fault, match=f'the algorithm "{algorithm}" needs scikit-learn') as caught:
        call_tool(workspace, "mem.goals", {"algorithm": algorithm})
    assert caught.value.code is Code.UPSTREAM_ERROR


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
