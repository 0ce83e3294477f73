"""The doctor names each agent definition that is broken, with what to do."""

from __future__ import annotations

from typing import Any

SHOWN = {"project.agents.broken"}


def test_a_broken_agent_is_a_warning_with_its_file(bare: Any) -> None:
    bare.write("~/.claude/agents/good.md", "---\nname: good\ndescription: Reads code.\n---\nRead.\n")
    bare.write("~/.claude/agents/torn.md", "---\nname: [torn\n---\nRead.\n")

    broken, usable = bare.look("project.agents")["groups"][0]["findings"]

    assert (broken["status"], broken["kind"]) == ("warn", "project.agents.broken")
    assert broken["message"].startswith("~/.claude/agents/torn.md: its frontmatter is not valid YAML in line 2 ")
    assert broken["steps"] == [
        "Begin the file with ---, name: and description: lines (quote a value that contains a colon), and ---."
    ]
    assert (usable["status"], usable["message"]) == ("pass", "1 agent can be used")


def test_a_person_without_agents_has_nothing_to_repair(bare: Any) -> None:
    (found,) = bare.look("project.agents")["groups"][0]["findings"]
    assert (found["status"], found["message"]) == ("skip", "neither the project nor you define an agent")
