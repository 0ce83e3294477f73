"""Aurora's server behind a relay that notes when each call of a tool was sent and answered.

The times are those of the relay: a host that waits for a processor before it reads an answer does not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, NamedTuple

_CALL = "tools/call"


class TimedCall(NamedTuple):
    """Call of a tool.

    Attributes:
        began: seconds from the start of the server to the call.
        took: seconds until its answer.
    """

    began: float
    took: float


def read_calls(log: Path) -> list[TimedCall]:
    """Read the answered calls that a relay noted, in the order of their answers."""
    return [TimedCall(**json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]


def relay(log: Path, command: list[str]) -> int:
    """Run a server and note its calls; return its exit code."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        assert server.stdout is not None  # noqa: S101 - as above
        sent: dict[str, float] = {}
        threading.Thread(target=_send_lines, args=(server.stdin, sent), daemon=True).start()
        for line in server.stdout:
            now = time.perf_counter()
            began = sent.pop(json.dumps(json.loads(line).get("id")), None)
            if began is not None:
                note = TimedCall(began - start, now - began)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(note._asdict()) + "\n")
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    return server.returncode


def _send_lines(target: IO[bytes], sent: dict[str, float]) -> None:
    """Send the lines of the host to the server."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("method") == _CALL:
            sent[json.dumps(message["id"])] = time.perf_counter()
        target.write(line)
        target.flush()
    target.close()


if __name__ == "__main__":
    sys.exit(relay(Path(sys.argv[1]), sys.argv[2:]))
