"""Daemon threads are reused, and a forked process has its own."""

from __future__ import annotations

import subprocess
import sys
import threading

from aurora.tools.runtime.dispatch import IDLE_NAME, start_daemon


def _ran_in(name: str) -> threading.Thread:
    """The thread that a work ran in, once it has nothing more to do."""
    ran: list[threading.Thread] = []
    done = threading.Event()

    def work() -> None:
        assert threading.current_thread().name == name
        ran.append(threading.current_thread())
        done.set()

    start_daemon(work, name)
    assert done.wait(60)
    while ran[0].name != IDLE_NAME:
        ran[0].join(0.01)
    return ran[0]


def test_an_idle_thread_is_reused() -> None:
    first = _ran_in("tool first")
    there = threading.enumerate()
    assert first.daemon
    assert _ran_in("tool second") in there


def test_concurrent_work_has_a_thread_each() -> None:
    together = threading.Barrier(7)
    for number in range(6):
        start_daemon(lambda: (together.wait(60), None)[1], f"tool {number}")
    together.wait(60)
    assert _ran_in("tool after").daemon  # and those that are too many to be kept hold nobody up


FORKED = """
import os, threading
from aurora.tools.runtime.dispatch import start_daemon

def ran():
    done = threading.Event()
    start_daemon(done.set, "tool")
    return done.wait(60)

assert ran()
child = os.fork()
if not child:
    os._exit(0 if ran() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and ran()
print("both")
"""


def test_a_forked_process_starts_its_own_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "both\n"
