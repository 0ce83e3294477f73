"""Themes with their typical members, and as candidate goals under other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

FACTS = (
    "Hoist the sail when the boat leaves the harbour.",
    "Anchor the boat in the harbour before the storm.",
    "The login page hashes the password of the user.",
    "A user who forgot the password resets it on the login page.",
)


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


def test_a_theme_is_shown_with_its_words_and_typical_members(workspace: Workspace) -> None:
    for text in FACTS:
        call_tool(workspace, "mem.add", {"text": text})
    found = call_tool(workspace, "mem.themes", {})
    assert [theme["size"] for theme in found["themes"]] == [2, 2]
    assert any("harbour" in theme["name"] for theme in found["themes"])
    assert all(member["path"] is None for theme in found["themes"] for member in theme["typical"])
