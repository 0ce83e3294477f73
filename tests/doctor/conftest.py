"""A project set up for an assistant as `aur init` does it, and a person with a home of their own."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from aurora.doctor import DoctorContext
from aurora.hosts import UserPaths
from aurora.memory.sqlite.owner import record_own
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace
from aurora.tools.setup.doctor import ProjectEquipment
from aurora.trust import FolderTrust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SOURCE = '"""Reads options."""\n\n\ndef parse(line):\n    """Parse one line."""\n    return line.split()\n'


@dataclass
class Patient:
    """A project and its person; what a test breaks."""

    root: Path
    home: Path
    programs: Path
    environ: dict[str, str]
    tool: Callable[..., dict[str, Any]] = field(repr=False)

    def look(self, *only: str) -> dict[str, Any]:
        return self.tool("doctor.run", only=list(only))

    def fix(self, *only: str) -> dict[str, Any]:
        return self.tool("doctor.fix", only=list(only))

    def write(self, name: str, text: str) -> Path:
        path = (self.home / name[2:]) if name.startswith("~/") else self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def lines(report: dict[str, Any]) -> list[str]:
    """The lines as a person sees them."""
    return [f"[{one['status'].upper()}] {one['message']}" for group in report["groups"] for one in group["findings"]]


def bad(report: dict[str, Any]) -> list[str]:
    return [line for line in lines(report) if line.startswith(("[WARN]", "[FAIL]"))]


def held(*folders: Path) -> dict[str, bytes]:
    """Return every file except the call log and the files that SQLite keeps next to a database."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {
        str(path): path.read_bytes()
        for path in files
        if path.parent.name != "logs" and not path.name.endswith(("-wal", "-shm"))
    }


@pytest.fixture
def tree() -> Callable[..., dict[str, bytes]]:
    return held


@pytest.fixture
def shown() -> Callable[[dict[str, Any]], list[str]]:
    return lines


@pytest.fixture
def wrong() -> Callable[[dict[str, Any]], list[str]]:
    return bad


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory, aur_program: str) -> Path:
    """A folder of programs in which `aur` is this checkout's."""
    folder = tmp_path_factory.mktemp("bin")
    aur = folder / "aur"
    aur.write_text(f'#!/bin/sh\nexec "{aur_program}" "$@"\n', encoding="utf-8")
    aur.chmod(0o755)
    return folder


@pytest.fixture
def environ(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A new person's environment."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith("AURORA_") or name in {"READ_ONLY", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_CONFIG_HOME"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), "/usr/bin", "/bin"]))
    return dict(os.environ)


@pytest.fixture
def bare(tmp_path: Path, environ: dict[str, str], programs: Path) -> Patient:
    """A project that Aurora has never seen."""
    root = (tmp_path / "shop").resolve()
    root.mkdir()
    (root / "parser.py").write_text(SOURCE, encoding="utf-8")
    FolderTrust(root).grant()

    def tool(name: str, *, read_only: bool = False, **arguments: Any) -> dict[str, Any]:
        with Workspace(root, read_only=read_only) as workspace:
            return call_tool(workspace, name, arguments)

    return Patient(root, tmp_path / "home", programs, environ, tool)


@pytest.fixture
def healthy(bare: Patient, model: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Patient:
    """The project, set up for Claude Code and indexed; done once, and then copied with its times."""
    if not model:
        bare.tool("init.run", hosts=["claude-code"])
        model.append(tmp_path_factory.mktemp("model") / "shop")
        shutil.copytree(bare.root, model[0])
    shutil.rmtree(bare.root)
    shutil.copytree(model[0], bare.root)
    FolderTrust(bare.root).grant()  # it is another folder
    record_own(bare.root / ".aurora" / "memory.db")  # and another person's memory
    return bare


@pytest.fixture(scope="session")
def model() -> list[Path]:
    """Path of the copy, once it exists."""
    return []


@pytest.fixture
def context(bare: Patient) -> Iterator[DoctorContext]:
    """The bare project as the doctor gets it."""
    with Workspace(bare.root) as workspace:
        yield DoctorContext(bare.root, ProjectEquipment(workspace), UserPaths.from_environment(), bare.environ)
