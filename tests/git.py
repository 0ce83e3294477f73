"""Git with an identity, and without the configuration of a person or a machine."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_WHO = {f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def run_git(root: Path, *words: str) -> str:
    """Run git in a folder, and return what it printed."""
    environ = {**os.environ, **_WHO, **_OWN}
    done = subprocess.run(["git", *words], cwd=root, env=environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()
