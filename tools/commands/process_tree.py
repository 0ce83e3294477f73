"""End of a program with every process that it has started, also those that left its group."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .program import MARK_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

HAS_PROCESS_GROUPS = os.name == "posix"
_PROCESSES = Path("/proc")
_GRACE_SECONDS = 0.5
"""Seconds between SIGTERM and SIGKILL; a cancelled call has one second to end."""
_MAX_ROUNDS = 20
"""Rounds of a search for processes that start new ones while they are being killed."""


def end_tree(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a program and every process that it started.

    A program that is still running receives SIGTERM, and SIGKILL half a second later. Processes of its group, and on
    Linux all processes with its mark in their environment, are killed.

    Args:
        process: the program, which may have ended.
        mark: the value of the variable `MARK_VARIABLE` in its environment.
    """
    if not HAS_PROCESS_GROUPS:
        _end_windows_tree(process)
        return
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    _signal_group(process.pid, signal.SIGKILL)
    for _ in range(_MAX_ROUNDS):
        found = list(_find_marked(mark))
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            break
        time.sleep(0.005)
    process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(OSError):  # no process is left in it
        os.killpg(group, number)


def _find_marked(mark: str) -> Iterator[int]:
    """Yield the processes of this user with the mark in their environment; none where there is no `/proc`."""
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    with suppress(OSError):
        for entry in os.scandir(_PROCESSES):
            if entry.name.isdecimal() and _has_variable(entry.name, wanted):
                yield int(entry.name)


def _has_variable(pid: str, wanted: bytes) -> bool:
    try:
        variables = (_PROCESSES / pid / "environ").read_bytes()
    except OSError:  # it has ended, or belongs to another user
        return False
    return wanted in variables.split(b"\0")


def _end_windows_tree(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        argv = ("taskkill", "/F", "/T", "/PID", str(process.pid))
        with suppress(OSError):
            subprocess.run(argv, capture_output=True, check=False)  # noqa: S603 - a number of ours
        with suppress(OSError):
            process.kill()
    process.wait()
