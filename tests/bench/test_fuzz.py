"""The fuzz target runs a bounded time with a fixed seed; by hand `make fuzz SECONDS=600` runs longer."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).resolve().parents[2] / "bench" / "fuzz.py"


def test_mutated_workflows_neither_end_the_process_nor_exceed_its_limits() -> None:
    command = [sys.executable, str(FUZZ), "--seconds", "3", "--seed", "1"]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)

    assert done.returncode == 0, done.stdout + done.stderr
    cases = re.search(r"seed 1: (\d+) cases, .* 0 failed", done.stdout)
    assert cases
    assert int(cases[1]) >= 1
