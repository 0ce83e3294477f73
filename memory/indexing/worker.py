"""What runs in a worker process: parse what comes in, until the pipe ends."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys

from .parse import parse_files
from .process import READY_MESSAGE, receive_value, send_value


def main() -> None:
    """Say that we are ready, then answer batches on stdin with their results on stdout."""
    # What a batch makes is values without circles, and syntax trees that go with the last name for them: looking for
    # circles among a million of them, again and again, was an eighth of the time. Once a batch is gone, few are left,
    # and those that are, the words that are known by now, need not be looked at after the next.
    gc.freeze()
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then stops us
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not print into the answers
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
    with contextlib.suppress(BrokenPipeError):  # who asked is gone, and nobody reads a traceback
        main()
