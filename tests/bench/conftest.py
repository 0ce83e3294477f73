"""The packages of `bench/`, and a host of a few lines in the place of one from npm."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"

PLAIN_HOST = Path(__file__).with_name("plain_host.py")

sys.path.append(str(BENCH))


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder as npm makes it, whose `claude` is the plain host."""
    folder = tmp_path / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    (folder / "claude").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PLAIN_HOST}" "$@"\n', encoding="utf-8")
    (folder / "claude").chmod(0o755)
    return tmp_path
