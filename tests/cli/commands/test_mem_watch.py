"""`aur mem watch` as a person runs it: a line for each update, and Ctrl-C ends it well."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AUR = [sys.executable, "-m", "aurora"]


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text("def alpha():\n    return 1\n", encoding="utf-8")
    process = subprocess.Popen(
        [*AUR, "--json", "mem", "watch"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


def test_each_update_is_a_line_and_ctrl_c_ends_it_well(watching: subprocess.Popen[str], tmp_path: Path) -> None:
    assert watching.stdout is not None
    assert json.loads(watching.stdout.readline())["read"] == 1
    (tmp_path / "b.py").write_text("def beta():\n    return 2\n", encoding="utf-8")
    assert json.loads(watching.stdout.readline())["read"] == 1
    (tmp_path / "b.py").unlink()
    assert json.loads(watching.stdout.readline())["gone"] == 1
    watching.send_signal(signal.SIGINT)
    told = watching.communicate(timeout=20)
    assert (watching.returncode, told) == (0, ("", ""))


def test_people_are_told_in_words(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    process = subprocess.Popen([*AUR, "mem", "watch"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "up to date" in process.stdout.readline()
    assert process.stdout.readline() == "watching the project; press Ctrl-C to stop\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_nothing_is_followed_in_read_only_mode(tmp_path: Path) -> None:
    done = subprocess.run(
        [*AUR, "mem", "watch", "--read-only"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "read-only mode forbids writes" in done.stderr


def test_reports_that_are_written_into_the_project_are_no_changes_of_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    log = tmp_path / "watch.txt"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen([*AUR, "mem", "watch"], cwd=tmp_path, stdout=output, stderr=output)
    count = _wait_for_lines(log, process, 2)
    for name in ("one.py", "two.py", "three.py"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
        count = _wait_for_lines(log, process, count + 1)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert "watch.txt" not in log.read_text(encoding="utf-8")


def _wait_for_lines(log: Path, process: subprocess.Popen[bytes], least: int) -> int:
    end = time.monotonic() + 60
    while (count := log.read_text(encoding="utf-8").count("\n")) < least:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    return count
