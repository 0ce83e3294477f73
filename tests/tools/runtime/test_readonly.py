"""In read-only mode no tool changes a byte of the project or the home folder."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

WRITING = [tool for tool in ToolRegistry().load_all() if not tool.is_offered_read_only]


def state(*folders: Path) -> dict[str, tuple[int, str]]:
    """Every file and folder with its mode and the hash of what it holds."""
    return {
        str(path): (path.lstat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for folder in folders
        for path in sorted((folder, *folder.rglob("*")))
    }


@pytest.mark.requirement("auditgraph-8")
@pytest.mark.parametrize("name", [tool.name for tool in WRITING])
def test_a_tool_that_writes_is_forbidden_and_no_byte_changes(
    name: str, filled: Path, tmp_path: Path, home: Path
) -> None:
    root = tmp_path / "project"
    shutil.copytree(filled, root)
    before = state(root, home)
    tool = ToolRegistry().find(name)
    refused = [example for example in tool.examples if not tool.is_allowed_read_only(example.arguments)]
    assert refused
    for example in refused:
        with Workspace(root, read_only=True) as workspace, pytest.raises(Fault) as caught:
            call_tool(workspace, name, example.arguments, params=example.params)
        assert caught.value.code is Code.FORBIDDEN
        assert caught.value.details["tool"] == name
    assert state(root, home) == before


def test_a_reading_tool_changes_no_byte(filled: Path, tmp_path: Path, own_home: Path) -> None:
    home = own_home
    root = tmp_path / "project"
    shutil.copytree(filled, root)
    before = state(root, home)
    with Workspace(root, read_only=True) as workspace:
        call_tool(workspace, "mem.search", {"query": "files"})
        call_tool(workspace, "mem.stats", {})
        call_tool(workspace, "runs.list", {})
        assert call_tool(workspace, "mem.export", {})["text"]
        assert call_tool(workspace, "mem.export", {"path": None})["text"]
        call_tool(workspace, "workflow.step", {"phase": "assess", "query": "What is a file?"})
    after = {path: told for path, told in state(root, home).items() if not path.endswith(("-shm", "-wal"))}
    assert after == before  # but for what SQLite itself keeps beside a database that is being read


@pytest.mark.requirement("auditgraph-24")
@pytest.mark.parametrize("how", [["--read-only"], []])
def test_the_command_line_is_read_only_by_option_and_by_variable(how: list[str], filled: Path, home: Path) -> None:
    before = state(filled, home)
    done = subprocess.run(
        [sys.executable, "-m", "aurora", "mem", "add", "It rained.", "--json", *how],
        cwd=filled,
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", **({} if how else {"READ_ONLY": "1"})},
    )
    assert done.returncode == 1
    assert '"code": "FORBIDDEN"' in done.stdout
    assert state(filled, home) == before
