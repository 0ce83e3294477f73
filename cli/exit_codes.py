"""Exit codes of `aur`."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit code of a command, for scripts."""

    OK = 0
    PROBLEMS = 1
    """The request failed: a document with errors, a rejected answer, an unknown name."""
    USAGE = 2
    """The command line is wrong: an unknown option, a missing argument."""
    BUG = 3
    """A bug in Aurora; the message names the file with the traceback."""
    INTERRUPTED = 130
    """Ctrl-C."""
