"""Worker process of a server: `python -P -m aurora.serve.process.worker DESCRIPTOR`.

Its plan is the first line of its standard input.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

from aurora.faults import Fault

from .plan import ServerPlan
from .start import run_process


def main() -> int:
    """Serve until SIGTERM, or until the parent process has ended."""
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        plan = ServerPlan.model_validate_json(sys.stdin.buffer.readline())
        threading.Thread(target=_stop_with_parent, name="parent", daemon=True).start()
        try:
            run_process(plan, listening)
        except Fault as fault:
            sys.stderr.write(f"aur: a worker cannot serve: {fault.message}\n")
            return 1
    return 0


def _stop_with_parent() -> None:
    """Stop when the standard input ends, which the parent process keeps open as long as it lives."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # a cancelled call may still run in a library that aborts when its thread is unwound
