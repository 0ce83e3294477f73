"""The command of an entry starts Aurora, whatever the project contains."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from aurora.hosts import UserPaths
from aurora.hosts.launch import Launch

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_without_an_installed_script_nothing_of_the_project_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setenv("PATH", "")
    argv = Launch.detect(UserPaths.from_environment()).own
    assert argv[0] == sys.executable
    for name in ("click", "aurora", "json"):
        (tmp_path / f"{name}.py").write_text('raise SystemExit("imported from the project")\n', encoding="utf-8")

    done = subprocess.run([*argv, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "imported from the project" not in done.stderr
