"""An export without a folder is in the folder of exports, and is imported from there by its name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core.context import Surface
    from aurora.tools.runtime.workspace import Workspace


def export(workspace: Workspace, path: str, surface: Surface = "mcp") -> Path:
    call_tool(workspace, "mem.add", {"text": "The harbour closes at nine."})
    written = call_tool(workspace, "mem.export", {"path": path}, surface=surface)["path"]
    return workspace.root.__class__(written)


@pytest.mark.requirement("auditgraph-13", "triads-41")
@pytest.mark.parametrize("surface", ["mcp", "python", "phase"])
def test_a_bare_name_is_a_file_in_the_folder_of_exports(workspace: Workspace, surface: Surface) -> None:
    path = export(workspace, "memory.jsonl", surface)
    assert path == workspace.root / ".aurora" / "exports" / "memory.jsonl"
    head, *records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert head["aurora"] == "memory"
    assert [(one["record"], one["text"]) for one in records] == [("chunk", "The harbour closes at nine.")]
    done = call_tool(workspace, "mem.import", {"path": "memory.jsonl"}, surface=surface)
    assert done["records_known"] == 1


@pytest.mark.requirement("auditgraph-13")
def test_another_place_is_as_written_and_a_terminal_uses_the_current_folder(workspace: Workspace) -> None:
    (workspace.root / "out").mkdir()
    assert export(workspace, "out/memory.jsonl") == workspace.root / "out" / "memory.jsonl"
    assert export(workspace, "memory.jsonl", "cli") == workspace.root / "memory.jsonl"


@pytest.mark.parametrize("path", ["memory.txt", ".hidden", ".aurora/backups/x.jsonl", ".aurora/exports/a/x.jsonl"])
def test_other_files_of_aurora_are_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(Fault) as caught:
        export(workspace, path)
    assert caught.value.code in {Code.FORBIDDEN, Code.INVALID_INPUT}


@pytest.mark.requirement("auditgraph-13")
def test_a_folder_of_exports_that_leads_outside_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    call_tool(workspace, "mem.add", {"text": "x y z"})
    (workspace.root / ".aurora" / "exports").symlink_to(outside, target_is_directory=True)
    with pytest.raises(Fault) as caught:
        export(workspace, "memory.jsonl")
    assert caught.value.code is Code.FORBIDDEN
    assert list(outside.iterdir()) == []
