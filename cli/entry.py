"""The door of `aur`: from the very beginning a Ctrl-C ends it without a word, as it ends every other program."""

from __future__ import annotations

import signal
import sys

from .fast_start import tune_process


def main() -> int:
    """Run `aur` with the process's own words and return its exit code.

    While the command line itself is loaded nothing has begun that could be left half done, and no boundary stands yet:
    Python would tell of the interrupt with a traceback.
    """
    tune_process(sys.argv[1:])
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # `nohup` and the like have one of their own
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .main import main as aur  # noqa: PLC0415 - see above

    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return aur()
