"""The numbers that `aur` leaves behind."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What happened, for scripts."""

    OK = 0
    PROBLEMS = 1
    """What was asked could not be had: a document with errors, a refused answer, nothing of that name."""
    USAGE = 2
    """The command itself was wrong: an unknown option, a missing argument."""
    BUG = 3
    """Our own fault; the message says where the traceback was written."""
    INTERRUPTED = 130
    """Ctrl-C."""
