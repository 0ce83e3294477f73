"""An open project that is closed while a thread still prepares its calls."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from aurora.errors import Code, Fault
from aurora.memory import Memory, database_path
from aurora.tools.mcp.watch import prepare_calls
from aurora.tools.runtime.workspace import Workspace


def list_open_databases(folder: Path) -> list[Path]:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(entry.readlink())
    return [path for path in found if path.is_relative_to(folder) and path.name.startswith("memory.db")]


def test_a_closed_project_does_not_open_its_memory_again(tmp_path: Path) -> None:
    (tmp_path / "kettle.py").write_text("def boil():\n    return 1\n")
    with Memory.open(database_path(tmp_path)) as memory:
        memory.index(tmp_path)
    project = Workspace(tmp_path)
    assert project.memory.search("boil", root=tmp_path).hits
    project.close()

    prepare_calls(project)

    with pytest.raises(Fault, match="the project was closed") as caught:
        _ = project.memory
    assert caught.value.code is Code.CONFLICT
    assert not list_open_databases(tmp_path)
