"""Programs that run in forks of one process, which has imported Aurora, and are killed after some seconds.

It reads requests from standard input, one JSON object a line; the fixture `run_forked` sends them. A new interpreter
for each moment of a kill would spend most of its time on imports.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

_STEP = 0.0005
"""Seconds between two looks at a program that is to be killed."""


def _prepare() -> None:
    """Import what the programs use, and read the model."""
    from aurora.memory import Memory, maintenance, text_index  # noqa: F401, PLC0415 - not needed by the tests
    from aurora.memory.embeddings import get_embedder  # noqa: PLC0415 - as above
    from aurora.memory.maintenance import repair_memory  # noqa: F401, PLC0415 - as above

    model = get_embedder()
    if model is not None:
        model.warm_up()
        model.embed(["a text"])
    assert threading.active_count() == 1, "a fork has no other thread"


def _fork(request: dict[str, Any]) -> tuple[int, float]:
    said, say = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(said)
        _become(request, say)
    os.close(say)
    os.read(said, 1)
    began = time.perf_counter()
    code = _wait(process, began, request["after"])
    os.close(said)
    return code, time.perf_counter() - began


def _wait(process: int, began: float, after: float | None) -> int:
    """Wait for the program, or kill it when its time is over; return its return code."""
    while after is not None and time.perf_counter() - began < after:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_STEP)
    if after is not None:
        os.kill(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _become(request: dict[str, Any], output: int) -> None:
    code = 1
    try:
        os.dup2(output, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["program", *request["arguments"]]
        exec(compile(request["program"], "program", "exec"), {"__name__": "__main__"})  # noqa: S102 - a test's own text
        code = 0
    except BaseException:  # noqa: BLE001 - a fork never returns to the server
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def main() -> None:
    """Serve requests until standard input ends."""
    _prepare()
    for line in sys.stdin.buffer:
        answer = json.dumps(_fork(json.loads(line)))
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
