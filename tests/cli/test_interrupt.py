"""Ctrl-C ends long work at once, without a traceback."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "aurora: 1\nname: slow\nversion: 1.0.0\nstart: one\nphases:\n"
PROMPT = "  one:\n    prompt_template: slow.md\n    answer: { type: string }\n    next_action: end\n"
TEMPLATE = "{% for i in range(9000) %}{{ range(90000)|sort|length }}{% endfor %}"
PATIENCE = 30.0


def make_phases() -> str:
    """Make phases whose rules take the checker many seconds."""
    switches = ", ".join(f"b{number}: {{type: boolean}}" for number in range(40))
    rules = ""
    for number in range(99):
        test = " && ".join(f"inputs.b{bit} == `{'true' if number >> bit & 1 else 'false'}`" for bit in range(12))
        rules += f'      - {{when: "{test}", then: end}}\n'
    return "".join(f"  p{name}:\n    inputs: {{{switches}}}\n    next_action:\n{rules}" for name in range(20))


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of another process is read from /proc")
@pytest.mark.parametrize("command", [["validate", "slow"], ["step", "one", "--workflow", "slow"]])
def test_long_work_ends_at_an_interrupt(tmp_path: Path, command: list[str]) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "slow.yaml").write_text(HEAD + (make_phases() if command[0] == "validate" else PROMPT), encoding="utf-8")
    (folder / "slow.md").write_text(TEMPLATE, encoding="utf-8")
    words = [sys.executable, "-m", "aurora", "workflow", *command]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_busy(process)

    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)

    assert time.monotonic() - started < PATIENCE / 4  # some 0.05 on an idle machine; the work itself takes minutes
    assert process.returncode == 130
    assert errors == "aur: interrupted\n"


def test_an_interrupted_indexing_ends_at_once_keeps_what_is_indexed_and_continues(tmp_path: Path) -> None:
    for number in range(1_500):
        body = "".join(f"def f{number}_{nth}(a):\n    return a + {nth}\n\n\n" for nth in range(60))
        (tmp_path / f"m{number}.py").write_text(body, encoding="utf-8")
    words = [sys.executable, "-m", "aurora", "mem", "index"]
    (tmp_path / ".git").mkdir()
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_busy(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert process.stderr is not None
    assert process.stderr.read().endswith(
        "aur: interrupted\nhelp: `aur mem index` continues; files that are indexed already are kept.\n"
    )
    process.stderr.close()
    check = subprocess.run([*words[:-1], "check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in check.stderr


def wait_busy(process: subprocess.Popen[str]) -> None:
    """Wait until the program is loaded and works: itself, or in the worker that it has started."""
    deadline = time.monotonic() + PATIENCE
    path = f"/proc/{process.pid}"
    while time.monotonic() < deadline and process.poll() is None:
        with open(f"{path}/stat", encoding="ascii") as file:  # noqa: PTH123 - not a path of the project
            fields = file.read().rpartition(")")[2].split()
        with open(f"{path}/task/{process.pid}/children", encoding="ascii") as file:  # noqa: PTH123 - as above
            has_worker = bool(file.read().strip())
        if has_worker or (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 1.2:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
