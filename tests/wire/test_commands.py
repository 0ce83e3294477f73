"""A program that a phase runs ends with the call that waits for it, over the real server."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

WORKFLOW = """\
aurora: 1
name: slow
version: 1.0.0
start: wait
phases:
  wait:
    uses: command.run
    with: { program: "'sleep'", arguments: "['611']" }
    params: { seconds: 600 }
    next_action: end
"""


def find_sleepers() -> set[str]:
    """Return the processes that run the program of the workflow."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdecimal() else []
        except OSError:
            continue
        if words[1:2] == [b"611"]:
            found.add(entry.name)
    return found


def wait_until(is_true: Any) -> None:
    """Wait until something is true, and fail after 60 seconds."""
    end = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def serving(project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server whose project has the workflow, for a person who allows its program."""
    home = tmp_path / "person"
    config = home / ".config" / "aurora" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[commands]]\nprogram = "sleep"\narguments = ["611"]\n', encoding="utf-8")
    config.chmod(0o600)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    project.write(".aurora/workflows/slow.yaml", WORKFLOW)
    return project.serve().shake_hands()


@pytest.mark.skipif(sys.platform != "linux", reason="the test looks for the program in /proc")
def test_a_cancelled_call_and_a_closed_server_leave_no_program(serving: Any) -> None:
    before = find_sleepers()
    serving.call("first", "aurora_query", {"phase": "wait", "workflow": "slow"})
    wait_until(lambda: find_sleepers() - before)
    serving.call("meanwhile", "aurora_get", {"path": "README.md"})
    assert serving.answer("meanwhile")["result"]["isError"] is False  # other calls are answered while it runs
    serving.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "first"}})
    wait_until(lambda: not find_sleepers() - before)

    serving.call("second", "aurora_query", {"phase": "wait", "workflow": "slow"})
    wait_until(lambda: find_sleepers() - before)
    serving.close()
    wait_until(lambda: not find_sleepers() - before)
