"""The agent tools list, search and show the definitions of the project and the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.runtime.workspace import Workspace


def define(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def test_agents_of_the_project_and_the_user_are_listed_by_name(workspace: Workspace, home: Path) -> None:
    define(workspace.root / ".cursor" / "agents", "b", "---\nname: tuner\ndescription: Tunes\nmodel: fast\n---\n")
    define(home / ".claude" / "agents", "a", "---\nname: coder\ndescription: Codes\ntools: Read, Edit\n---\n")
    listed = call_tool(workspace, "agents.list", {})
    assert listed["problems"] == []
    assert listed["agents"] == [
        {
            "name": "coder",
            "description": "Codes",
            "tools": ["Read", "Edit"],
            "model": None,
            "host": "claude-code",
            "scope": "person",
            "path": "~/.claude/agents/a.md",
        },
        {
            "name": "tuner",
            "description": "Tunes",
            "tools": [],
            "model": "fast",
            "host": "cursor",
            "scope": "project",
            "path": ".cursor/agents/b.md",
        },
    ]


def test_a_broken_definition_is_listed_with_help(workspace: Workspace) -> None:
    define(workspace.root / ".claude" / "agents", "bad", "no frontmatter here\n")
    listed = call_tool(workspace, "agents.list", {})
    assert listed["agents"] == []
    assert listed["problems"][0]["path"] == ".claude/agents/bad.md"
    assert "---" in listed["problems"][0]["help"]


def test_the_agent_with_most_words_of_the_task_is_first(workspace: Workspace) -> None:
    folder = workspace.root / ".claude" / "agents"
    define(folder, "one", "---\nname: one\ndescription: Reviews code\n---\n")
    define(folder, "two", "---\nname: two\ndescription: Reviews database schemas and migrations\n---\n")
    define(folder, "three", "---\nname: three\ndescription: Paints\n---\n")
    found = call_tool(workspace, "agents.search", {"query": "review migrations of the database"})
    assert [hit["agent"]["name"] for hit in found["hits"]] == ["two", "one"]
    assert set(found["hits"][0]["matched"]) == {"review", "migrations", "database"}


def test_an_agent_is_shown_with_its_instructions_and_without_its_frontmatter(workspace: Workspace) -> None:
    text = "---\nname: tuner\ndescription: Tunes\n---\n\nListen first.\n\n---\n\nThen turn.\n"
    define(workspace.root / ".claude" / "agents", "tuner", text)
    shown = call_tool(workspace, "agents.show", {"name": "tuner"})
    assert shown["agent"]["description"] == "Tunes"
    assert (shown["instructions"], shown["truncated"]) == ("Listen first.\n\n---\n\nThen turn.", False)


def test_an_unknown_agent_gets_the_nearest_name_as_a_suggestion(workspace: Workspace) -> None:
    define(workspace.root / ".claude" / "agents", "tuner", "---\nname: tuner\ndescription: Tunes\n---\n")
    with pytest.raises(Fault, match='there is no agent "tunner"; did you mean "tuner"') as raised:
        call_tool(workspace, "agents.show", {"name": "tunner"})
    assert raised.value.code is Code.NOT_FOUND
