"""`aur` by itself says what to do next, and what that is depends on the project."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


def test_a_new_project_is_told_to_index_first_and_is_not_touched(aur: Aur, project: Path) -> None:
    done = aur()

    assert done.returncode == 0
    assert "not indexed yet" in done.stdout
    assert done.stdout.index("aur mem index") < done.stdout.index("claude mcp add")
    assert not (project / ".aurora").exists()


def test_an_indexed_project_is_told_to_connect_an_assistant(aur: Aur) -> None:
    aur("mem", "index")

    done = aur()

    assert "4 files in memory" in done.stdout
    assert "aur mem index" not in done.stdout
    assert "claude mcp add aurora -- aur mcp" in done.stdout


def test_a_project_with_runs_is_told_where_they_are(aur: Aur) -> None:
    aur("workflow", "step", "assess", "--input", "query=Where is FloatRange defined?")

    state = json.loads(aur("--json").stdout)

    assert state["runs"] == 1
    assert "aur runs list" in [step["command"] for step in state["next"]]
