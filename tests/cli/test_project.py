"""Which project a command is about, and what is said when there is none."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Aur = Callable[..., Any]

NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="aurora-test-"))
    folder.chmod(0o755)
    yield folder
    for inner in folder.iterdir():
        inner.chmod(0o755)
    shutil.rmtree(folder)


def test_the_project_is_found_from_a_folder_inside_it(aur: Aur, project: Path) -> None:
    done = aur("--json", cwd=project / "click")

    assert json.loads(done.stdout)["project"] == str(project)


def test_the_option_may_stand_before_the_command_or_after_it(aur: Aur, project: Path, tmp_path: Path) -> None:
    before = aur("--project", str(project), "--json", "mem", "stats", cwd=tmp_path)
    after = aur("mem", "stats", "--json", "--project", "project", cwd=tmp_path)

    assert before.returncode == after.returncode == 0
    assert before.stdout == after.stdout
    assert json.loads(before.stdout)["path"] == str(project / ".aurora" / "memory.db")


@pytest.mark.parametrize(
    ("named", "code", "said"),
    [
        ("nowhere", "NOT_FOUND", 'the project "nowhere" does not exist'),
        ("README.md", "INVALID_INPUT", 'the project "README.md" is not a folder'),
        ("a" * 5000, "INVALID_INPUT", "is not a usable path"),
        ("loop", "INVALID_INPUT", "is not a usable path"),
    ],
)
def test_a_project_that_cannot_be_is_refused(aur: Aur, project: Path, named: str, code: str, said: str) -> None:
    (project / "loop").symlink_to("loop")

    done = aur("mem", "stats", "--json", "--project", named)

    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1
    assert (error["code"], said in error["message"]) == (code, True)
    assert error["help"]


def test_a_project_that_may_not_be_read_is_forbidden(environment: dict[str, str], open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir()
    closed.chmod(0)
    # Root may read everything, so it becomes nobody; by then all modules are loaded, which nobody may not read.
    program = (
        "import os, sys; from aurora.cli.main import main; main(['mem', 'stats']); "
        f"os.geteuid() or os.setuid({NOBODY}); sys.exit(main(['--project', sys.argv[1], 'mem', 'stats']))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(closed)],
        cwd=open_folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == (
        f'aur: the project "{closed}" cannot be read\n'
        "help: Give yourself permission to read the folder, or name another one with --project.\n"
    )


def test_a_deleted_current_folder_is_reported(environment: dict[str, str], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = (
        "import os, sys; from aurora.cli.main import main; os.rmdir(os.getcwd()); sys.exit(main(['mem', 'stats']))"
    )

    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=gone, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr == "aur: the current folder no longer exists\nhelp: Change into an existing folder.\n"
