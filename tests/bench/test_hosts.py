"""The walks of `make hosts`, with a host of a few lines in the place of one from npm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WALK = Path(__file__).resolve().parents[2] / "bench" / "walk.py"


def run_walks(programs: Path, walks: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(WALK), str(programs), "--hosts", "claude-code", "--walks", walks]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, env=os.environ)


@pytest.mark.slow
def test_a_host_walks_with_answers_as_text_and_with_mistakes_to_the_end(programs: Path) -> None:
    done = run_walks(programs, "soar-fast")

    *_, plain, text, mistakes = (line.split() for line in done.stdout.splitlines())
    assert done.returncode == 0, done.stdout + done.stderr
    assert [row[-1] for row in (plain, text, mistakes)] == ["finished"] * 3
    assert mistakes[-2] == "9/9"


def test_a_host_that_does_not_ask_the_model_is_reported(programs: Path) -> None:
    (programs / "node_modules" / ".bin" / "claude").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")

    done = run_walks(programs, "code-review, mistakes")

    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith("NOT FINISHED: the model was not asked")
