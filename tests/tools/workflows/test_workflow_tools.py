"""Workflow tools: targets inside the project, problems with their source lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROKEN = "aurora: 1\nname: tea\nversion: 1.0.0\nstart: brew\nphases:\n  brew:\n    next_action: brwe\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Open a project with a broken workflow of its own."""
    root = tmp_path / "project"
    (root / ".aurora" / "workflows").mkdir(parents=True)
    (root / ".aurora" / "workflows" / "tea.yaml").write_text(BROKEN, encoding="utf-8")
    with Workspace(root) as opened:
        yield opened


def test_without_names_every_workflow_in_use_is_checked(workspace: Workspace) -> None:
    found = call_tool(workspace, "workflow.validate", {})

    assert [one["workflow"] for one in found["files"]] == list(workspace.workflows.list_names())
    assert {one["workflow"]: one["errors"] > 0 for one in found["files"]}["tea"]
    assert found["errors"] == sum(one["errors"] for one in found["files"])


def test_a_problem_has_its_source_line(workspace: Workspace) -> None:
    found = call_tool(workspace, "workflow.validate", {"files": ["tea"]})

    problem = next(one for one in found["files"][0]["problems"] if "brwe" in one["message"])
    assert (problem["line"], problem["column"], problem["end_column"]) == (7, 18, 22)
    assert (problem["source"], problem["caret"]) == ("    next_action: brwe", "                 ^~~~")
    assert problem["fix"] == {"old": "brwe", "new": "brew"}


def test_a_file_outside_the_project_is_forbidden(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(BROKEN, encoding="utf-8")
    (workspace.root / "link.yaml").symlink_to(outside)

    for name in (str(outside), "../outside.yaml", "link.yaml"):
        with pytest.raises(Fault) as caught:
            call_tool(workspace, "workflow.validate", {"files": [name]})
        assert caught.value.code is Code.FORBIDDEN


def test_a_broken_workflow_can_still_be_shown(workspace: Workspace) -> None:
    shown = call_tool(workspace, "workflow.show", {"name": "tea"})

    assert shown["phases"][0]["next_action"] == [{"then": "brwe"}]


def test_an_unknown_workflow_names_the_known_ones(workspace: Workspace) -> None:
    with pytest.raises(Fault) as caught:
        call_tool(workspace, "workflow.show", {"name": "coffee"})

    assert caught.value.code is Code.NOT_FOUND
    assert "soar" in caught.value.help
