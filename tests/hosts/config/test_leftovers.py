"""What a killed set-up left next to an assistant's files is removed by the next one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import HOSTS, remove_leftovers

if TYPE_CHECKING:
    from pathlib import Path

KILLED = """
import os, signal, sys
from pathlib import Path
from aurora.system.paths.write import write_inside

write_inside(Path(sys.argv[1]), sys.argv[2], b"{}", check=lambda: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.parametrize("name", [".mcp.json", ".claude/settings.local.json", ".claude/skills/aurora/SKILL.md"])
def test_a_partial_file_of_a_killed_set_up_is_removed(root: Path, name: str) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(root), name], check=False)
    left = [path.name for path in root.rglob("*") if path.is_file()]
    assert len(left) == 1
    assert left[0].endswith(".partial")

    remove_leftovers(root, HOSTS)

    assert not [path for path in root.rglob("*") if path.is_file()]


def test_a_folder_that_is_a_link_out_of_the_project_is_not_followed(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run([sys.executable, "-c", KILLED, str(other), "a.json"], check=False)
    before = list(other.iterdir())
    (root / ".claude").symlink_to(other)

    remove_leftovers(root, HOSTS)

    assert list(other.iterdir()) == before
    assert len(before) == 1
