from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.serve.projects import FolderSource
from aurora.serve.settings import ProjectSettings
from aurora.tools.runtime import call_tool

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("settings", "is_local", "told"),
    [
        ({"git": "https://example.org/shop.git"}, False, "wait until the server has fetched the project from git"),
        ({}, False, "ask the operator of the server to index the project's folder."),
        ({}, True, "run `aur mem index`."),
    ],
)
@pytest.mark.parametrize("tool", ["mem.search", "mem.activation"])
def test_an_empty_memory_is_filled_in_the_way_in_which_a_client_can(
    tmp_path: Path, settings: dict[str, object], tool: str, told: str, *, is_local: bool
) -> None:
    projects = {"shop": ProjectSettings.model_validate({**settings, "folder": str(tmp_path)})}
    source = FolderSource(projects, is_local=is_local)
    given = {"query": "anything"} if tool == "mem.search" else {}
    with source.open("shop", read_only=False) as project:
        note = call_tool(project, tool, given, surface="mcp")["note"]
    assert f"The memory is empty: {told}" in note
