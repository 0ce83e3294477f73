"""A person's own state folder, and repositories that git itself makes."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from aurora.trust import FolderTrust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Git = Callable[..., None]
    Clone = Callable[[str, Path], Path]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a person who has trusted nothing."""
    monkeypatch.delenv("AURORA_TRUST")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def git() -> Git:
    """Run git in a folder."""
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
    }

    def run(folder: Path, *words: str) -> None:
        environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        options = ("-c", "protocol.file.allow=always")
        subprocess.run(["git", *options, *words], cwd=folder, env=environment, capture_output=True, check=True)

    return run


@pytest.fixture
def clone(tmp_path: Path, git: Git) -> Clone:
    """Clone one of two repositories, `good` and `evil`, into a folder."""

    def make(name: str, target: Path) -> Path:
        origin = tmp_path / "origins" / name
        if not origin.exists():
            (origin / ".aurora" / "workflows").mkdir(parents=True)
            (origin / "README.md").write_text(f"# {name}\n", encoding="utf-8")
            git(origin, "init", "-q", "-b", "main")
            git(origin, "add", ".")
            git(origin, "commit", "-q", "-m", name)
        git(tmp_path, "clone", "-q", str(origin), str(target))
        return target.resolve()

    return make


@pytest.fixture
def project(tmp_path: Path, clone: Clone) -> Path:
    """A clone that the person trusts."""
    root = clone("good", tmp_path / "project")
    FolderTrust(root).grant()
    return root


@pytest.fixture
def replace_folder(clone: Clone) -> Callable[[Path], None]:
    """Delete a folder, and clone the other repository into its place."""

    def replace(root: Path) -> None:
        shutil.rmtree(root)
        clone("evil", root)

    return replace
