"""Routing of subgoals to agents, in waves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Use = Callable[..., dict[str, Any]]


def subgoal(name: str, description: str = "Do something", *needs: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "description": description, "depends_on": list(needs), **more}


@pytest.fixture
def agents(root: Path, home: Path) -> None:
    for folder, name, description in (
        (root / ".claude" / "agents", "security-reviewer", "Reviews code for security holes in authentication"),
        (root / ".claude" / "agents" / "deep", "sql-tuner", "Tunes slow SQL queries and database indexes"),
        (home / ".claude" / "agents", "writer", "Writes documentation for people"),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\nYou are {name}.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def test_waves_follow_the_dependencies_where_there_are_agents(root: Path, use: Use) -> None:
    folder = root / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "tester.md").write_text("---\nname: tester\ndescription: Tests\n---\n", encoding="utf-8")
    found = use(
        "route", {"subgoals": [subgoal("d", "x", "b", "c"), subgoal("b", "x", "a"), subgoal("a"), subgoal("c")]}
    )
    assert found["waves"] == [["a", "c"], ["b"], ["d"]]
    assert [(task["id"], task["wave"]) for task in found["tasks"]] == [("a", 1), ("c", 1), ("b", 2), ("d", 3)]


@pytest.mark.requirement("prd-72")
def test_without_agents_the_host_gets_all_tasks_with_the_reason(use: Use) -> None:
    found = use("route", {"subgoals": [subgoal("a")]})
    assert (found["tasks"][0]["agent"], found["tasks"][0]["reason"]) == (None, "no agents are defined")
    assert found["gaps"] == []


@pytest.mark.usefixtures("agents")
def test_a_named_agent_is_chosen_ignoring_case(use: Use) -> None:
    found = use("route", {"subgoals": [subgoal("a", "Anything", agent="SQL-Tuner"), subgoal("b", "x", agent="writer")]})
    assert [task["agent"] for task in found["tasks"]] == ["sql-tuner", "writer"]
    assert found["tasks"][0]["reason"] == "named by the decomposition"


@pytest.mark.requirement("prd-72")
@pytest.mark.usefixtures("agents")
def test_without_a_name_the_agent_with_a_matching_description_is_chosen(use: Use) -> None:
    found = use("route", {"subgoals": [subgoal("a", "Tune the slow database query"), subgoal("b", "Paint the logo")]})
    assert [task["agent"] for task in found["tasks"]] == ["sql-tuner", None]
    for word in ("tune", "slow", "database", "query"):
        assert word in found["tasks"][0]["reason"]
    assert found["tasks"][1]["reason"] == "no agent's description fits"
    assert found["agents"] == [{"task": "a", "agent": "sql-tuner"}]


@pytest.mark.usefixtures("agents")
def test_a_match_below_the_threshold_does_not_count(use: Use) -> None:
    subgoals = {"subgoals": [subgoal("a", "Tune the slow query of the monthly sales report for marketing people")]}
    assert use("route", subgoals, match_from=0.9)["tasks"][0]["agent"] is None
    assert use("route", subgoals, match_from=0.2)["tasks"][0]["agent"] == "sql-tuner"


@pytest.mark.usefixtures("agents")
def test_a_missing_agent_is_a_gap_with_a_description(use: Use) -> None:
    found = use("route", {"subgoals": [subgoal("a", "Translate the manual", agent="Translator (DE)")]})
    assert found["tasks"][0]["agent"] is None
    assert 'agent "Translator (DE)" does not exist' in found["tasks"][0]["reason"]
    assert found["gaps"] == [
        {
            "subgoal": "a",
            "agent": "Translator (DE)",
            "description": "An agent that can do tasks such as: Translate the manual",
            "path": ".claude/agents/translator-de.md",
        }
    ]


@pytest.mark.parametrize(
    ("subgoals", "expected"),
    [
        ([subgoal("a", "x", "b"), subgoal("b", "x", "a")], '"a", "b" wait for each other'),
        ([subgoal("a"), subgoal("a")], '2 subgoals have the id "a"'),
        ([subgoal("a", "x", "z")], 'depends on "z"'),
    ],
)
def test_subgoals_without_an_order_are_rejected_by_name(
    subgoals: list[dict[str, Any]], expected: str, use: Use
) -> None:
    with pytest.raises(Fault) as raised:
        use("route", {"subgoals": subgoals})
    assert raised.value.code is Code.INVALID_INPUT
    assert expected in raised.value.message
