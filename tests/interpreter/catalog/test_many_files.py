"""A project's folder of workflows is read within limits, whatever is in it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Cancelled, CancelScope
from aurora.interpreter.catalog.paths import MAX_FILES, MAX_STAMPED
from aurora.tools.runtime import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SMALL = "name: w{number:05}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / ".aurora" / "workflows"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path) as opened:
        yield opened


def test_of_thousands_of_files_the_first_by_name_are_used(folder: Path, workspace: Workspace) -> None:
    for number in reversed(range(3000)):
        (folder / f"w{number:05}.yaml").write_text(SMALL.format(number=number), encoding="utf-8")

    listed = call_tool(workspace, "workflow.list", {})

    own = [one["name"] for one in listed["workflows"] if one["source"] == "project"]
    assert own == [f"w{number:05}" for number in range(MAX_FILES)]
    assert listed["left_out"] == 3000 - MAX_FILES
    assert "soar" in workspace.workflows.list_names()


def test_files_that_are_too_large_together_are_left_out(folder: Path, workspace: Workspace) -> None:
    for number in range(6):
        (folder / f"w{number:05}.yaml").write_text(SMALL.format(number=number) + "#" * 1_000_000, encoding="utf-8")

    names = workspace.workflows.list_names()

    assert [name for name in names if name.startswith("w0")] == [f"w{number:05}" for number in range(4)]
    assert workspace.workflows.count_left_out() == 2


def test_what_is_no_regular_file_is_reported_and_not_opened(folder: Path, workspace: Workspace) -> None:
    os.mkfifo(folder / "pipe.yaml")
    (folder / "folder.yaml").mkdir()
    (folder / "device.yaml").symlink_to("/dev/zero")
    (folder / "loop.yaml").symlink_to(folder / "loop.yaml")
    (folder / "around").symlink_to(folder, target_is_directory=True)
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(folder, os.O_RDONLY)
        try:
            listening.bind(f"/proc/self/fd/{here}/socket.yaml")
        finally:
            os.close(here)
        problems = {
            name: [one.code for one in workspace.workflows.find_problems(str(folder / f"{name}.yaml"))]
            for name in ("pipe", "folder", "device", "loop", "socket")
        }

    assert problems == {
        "pipe": ["E101"],
        "folder": ["E101"],
        "device": ["E255"],
        "loop": ["E101"],
        "socket": ["E101"],
    }


def test_a_change_is_noticed_beside_very_many_files(folder: Path, workspace: Workspace) -> None:
    prompts = folder / "prompts"
    prompts.mkdir()
    for number in range(MAX_STAMPED + 10):
        (prompts / f"{number}.md").touch()
    before = workspace.workflows.stamp_files()
    assert len(before) < MAX_STAMPED + 200

    (prompts / "new.md").touch()

    assert workspace.workflows.stamp_files() != before


def test_a_workflow_is_loaded_while_another_one_is_checked(folder: Path, workspace: Workspace) -> None:
    head = "aurora: 1\nname: slow\nversion: 1.0.0\nstart: p0\nphases:\n"
    phases = (f"  p{n}: {{uses: toool{n}, with: {{a{n}: inputs.x}}, next_action: q{n}}}\n" for n in range(2_000))
    (folder / "slow.yaml").write_text(head + "".join(phases), encoding="utf-8")
    scope = CancelScope()

    def list_workflows() -> None:
        with scope.activate(), contextlib.suppress(Cancelled):
            workspace.workflows.list_summaries()

    thread = threading.Thread(target=list_workflows)
    with contextlib.suppress(Exception):
        workspace.workflows.open("slow")  # read before, so that the thread checks at once
    thread.start()
    loaded = workspace.workflows.load("soar")

    assert loaded.workflow.name == "soar"
    assert thread.is_alive()
    scope.cancel()
    thread.join()
