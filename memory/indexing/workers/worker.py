"""Main module of a worker process: do the work that the parent names."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys

from aurora.memory.indexing import parse  # noqa: F401 - loaded before the worker says that it is ready

from .process import MAX_DATA_BYTES, READY_MESSAGE, receive_value, send_value

_GRACE = 5.0
"""Seconds after the time in which the parent kills the process."""


def main() -> None:
    """Report readiness, then do the work that stdin names and write the results to stdout."""
    # A batch creates values without reference cycles, and syntax trees that are freed with their last reference. The
    # cycle collector took an eighth of the time on a million of them. It runs only after a batch, and what is left
    # then, the known words, is frozen and never scanned again.
    gc.freeze()
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C, and stops its workers
    _limit_memory()
    answers = os.fdopen(os.dup(1), "wb")
    _silence_libraries()
    with answers:
        send_value(answers, READY_MESSAGE)
        while True:
            try:
                work, given, seconds = receive_value(sys.stdin.buffer)
            except EOFError:
                return
            # The parent kills it after its time; this is for a parent that was killed itself.
            _end_after(seconds + _GRACE)
            result = work(*given)
            _end_after(0)
            send_value(answers, result)
            gc.collect()
            gc.freeze()


def _silence_libraries() -> None:
    """Let a library that prints write neither into the results nor between a person's lines.

    Errors of Python are shown.
    """
    sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(nothing, output)
    os.close(nothing)


def _limit_memory() -> None:
    """Let the process end, without a core file, when a parser takes too much memory.

    Windows has only the time limit.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    for kind, limit in ((resource.RLIMIT_DATA, MAX_DATA_BYTES), (resource.RLIMIT_CORE, 0)):
        _, most = resource.getrlimit(kind)
        with contextlib.suppress(ValueError, OSError):  # a system that has no such limit
            resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def _end_after(seconds: float) -> None:
    """Let the kernel end the process after so many seconds, also when the parent is gone; 0 takes it back.

    No handler of Python runs while a parser does.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the parent is gone: no one reads a traceback
        main()
