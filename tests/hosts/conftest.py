"""A project and a person with a home of their own; nothing of the real ones is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.hosts.entry import Launch
from aurora.hosts.person import UserPaths

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder.resolve()


@pytest.fixture
def person(tmp_path: Path) -> UserPaths:
    """A person on Linux whose PATH has a program `aur` that runs."""
    home, programs = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    program = programs / "aur"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    return UserPaths.from_environment({"HOME": str(home), "PATH": str(programs)}, "linux")


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    return Launch(("aur",), (str(tmp_path / "bin" / "aur"),))
