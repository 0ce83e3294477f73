"""Themes with their typical members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from aurora.tools.runtime.workspace import Workspace

FACTS = (
    "Hoist the sail when the boat leaves the harbour.",
    "Anchor the boat in the harbour before the storm.",
    "The login page hashes the password of the user.",
    "A user who forgot the password resets it on the login page.",
)


def test_a_theme_is_shown_with_its_words_and_typical_members(workspace: Workspace) -> None:
    for text in FACTS:
        call_tool(workspace, "mem.add", {"text": text})
    found = call_tool(workspace, "mem.themes", {})
    assert [theme["size"] for theme in found["themes"]] == [2, 2]
    assert any("harbour" in theme["name"] for theme in found["themes"])
    assert all(member["path"] is None for theme in found["themes"] for member in theme["typical"])
