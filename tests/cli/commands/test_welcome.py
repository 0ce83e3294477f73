"""`aur` by itself says what to do next, and what that is depends on the project."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]


def test_a_new_project_is_told_to_set_itself_up_and_is_not_touched(aur: Aur, project: Path) -> None:
    done = aur()

    assert done.returncode == 0
    assert "not indexed yet" in done.stdout
    assert "aur init" in done.stdout
    assert not (project / ".aurora").exists()


def test_an_indexed_project_is_told_to_connect_an_assistant(aur: Aur) -> None:
    aur("mem", "index")

    done = aur()

    assert "4 files in memory" in done.stdout
    assert "aur mem index" not in done.stdout
    assert "aur init" in done.stdout


def test_a_project_with_an_assistant_connected_is_told_only_to_index(aur: Aur, project: Path) -> None:
    entry = {"command": sys.executable, "args": ["-m", "aurora", "mcp"]}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"aurora": entry}}), encoding="utf-8")

    state = json.loads(aur("--json").stdout)

    assert state["connected"] is True
    assert next(step["command"] for step in state["next"]) == "aur mem index"


def test_a_project_with_runs_is_told_where_they_are(aur: Aur) -> None:
    aur("workflow", "step", "assess", "--input", "query=Where is FloatRange defined?")

    state = json.loads(aur("--json").stdout)

    assert state["runs"] == 1
    assert "aur runs list" in [step["command"] for step in state["next"]]
