"""Main module of a worker process: parse batches until the pipe closes."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys

from aurora.memory.indexing.parse import parse_files

from .process import READY_MESSAGE, receive_value, send_value


def main() -> None:
    """Report readiness, then parse the batches on stdin and write the results to stdout."""
    # A batch creates values without reference cycles, and syntax trees that are freed with their last reference. The
    # cycle collector took an eighth of the time on a million of them. It runs only after a batch, and what is left
    # then, the known words, is frozen and never scanned again.
    gc.freeze()
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C, and stops its workers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not write into the results
    with answers:
        send_value(answers, READY_MESSAGE)
        while True:
            try:
                root, jobs = receive_value(sys.stdin.buffer)
            except EOFError:
                return
            send_value(answers, parse_files(root, jobs))
            gc.collect()
            gc.freeze()


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the parent is gone: no one reads a traceback
        main()
