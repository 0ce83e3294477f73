"""Entry point of `aur`: quick answers first; Ctrl-C ends silently from the first import."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run `aur` with the arguments of the process and return its exit code.

    While the command line is being loaded there is no error boundary yet, and no work to clean up: without the default
    action of the signal, Python would print a traceback.
    """
    if sys.argv[1:2] == ["hook"]:
        from aurora import hook  # noqa: PLC0415 - no other command needs it

        hook.begin_hook(sys.argv[2:])
    if "mcp" in sys.argv:
        from aurora import early  # noqa: PLC0415 - no other command needs it

        early.begin_server(sys.argv[1:])
    from .fast_start import tune_process  # noqa: PLC0415 - loaded only after the host has its tools

    tune_process(sys.argv[1:])
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # `nohup` sets its own
    if is_default:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .main import main as aur  # noqa: PLC0415 - loaded only after the signal is set

    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return aur()
