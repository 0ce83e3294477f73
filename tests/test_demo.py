"""`make demo` is what a newcomer sees first, so it is run as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PHASES = ("assess", "retrieve", "decompose", "verify", "route", "collect", "synthesize", "record", "respond")


def tree() -> list[str]:
    """What lies at the root; the caches of tools that run meanwhile are not of interest."""
    return sorted(path.name for path in ROOT.iterdir() if path.name == ".aurora" or not path.name.startswith("."))


@pytest.mark.slow
def test_the_demo_walks_nine_phases_and_a_simple_question_and_leaves_the_clone_clean() -> None:
    before = tree()

    done = subprocess.run(
        [sys.executable, "examples/demo.py"], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    shown = done.stdout
    places = [shown.index(f" {number}/9 {phase} ") for number, phase in enumerate(PHASES, 1)]
    assert places == sorted(places)
    assert "→ retrieve_and_respond  early exit" in shown
    assert "ended" in shown.partition("aur runs show")[2]
    assert tree() == before
    command = shown.strip().splitlines()[-1]
    assert re.fullmatch(r"AURORA_DB=build/demo/memory.db \S+ -m aurora --project \S+ ui --run \w+ --open", command)
