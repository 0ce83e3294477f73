"""A Ctrl-C while Python is still loading ends the command without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "loading", ["click", "aurora.errors.fault", "aurora.cli.main", "aurora.cli.parser.parameters", "numpy"]
)
def test_an_interrupt_while_modules_are_loaded_leaves_no_traceback(
    project: Path, environment: dict[str, str], loading: str
) -> None:
    started = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "aurora", "mem", "search", "anything"],
        cwd=project,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stderr
    for line in started.stderr:  # each module as it was loaded
        if line.rpartition("|")[2].strip().startswith(loading):
            started.send_signal(signal.SIGINT)
            break
    rest = started.communicate(timeout=60)[1]

    assert "Traceback" not in rest
    assert "KeyboardInterrupt" not in rest
    assert started.returncode in {-signal.SIGINT, 130}


def test_an_ignored_interrupt_signal_stays_ignored(project: Path, environment: dict[str, str]) -> None:
    deaf = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from aurora.cli.entry import main; "
        "import sys, os; sys.argv = ['aur', '--version']; os.kill(os.getpid(), signal.SIGINT); sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", deaf], cwd=project, env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("aur ")
