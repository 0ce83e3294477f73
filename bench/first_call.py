"""First call of a session: processor time until its answer, and from when on it takes less than 100 ms."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from corpus import index
from rows import Row, median

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOURCE = Path(__file__).resolve().parents[1]
PACKAGES = ("interpreter", "memory", "tools")
NO_CACHE = {"XDG_CACHE_HOME": "/dev/null"}
CALLS = {
    "aurora_query": {"query": "How does the server start?"},
    "aurora_search": {"query": "start of the server"},
}
QUICK_SECONDS = 0.1
STEP_SECONDS = 0.1
LAST_SECONDS = 4.0
SAMPLES = 3


class FirstCall(NamedTuple):
    """First call of a session.

    Attributes:
        seconds: from the call to its answer.
        processor: milliseconds of the server's process from its start to the answer.
    """

    seconds: float
    processor: float


def measure_first_calls(hello: Sequence[Mapping[str, Any]], rounds: int) -> list[Row]:
    """Measure the first call of each tool in a project of Aurora's own code.

    Args:
        hello: what a host sends until it has its tools; the last request has the id 2.
        rounds: how often a call that is sent with the list is measured, with a cache and without.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as caches:
        root = Path(folder, "project")
        for name in PACKAGES:
            shutil.copytree(SOURCE / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        (root / ".git").mkdir()
        index(root)
        warm = {"XDG_CACHE_HOME": caches}
        for _ in range(2):  # the first start writes the cache
            call_first(root, warm, hello, "aurora_search")
        rows = [_compare_sides(root, warm, hello, tool, rounds) for tool in CALLS]
        return [*rows, *(_find_quick_time(root, warm, hello, tool) for tool in CALLS)]


def call_first(
    root: Path, environ: Mapping[str, str], hello: Sequence[Mapping[str, Any]], tool: str, delay: float | None = None
) -> FirstCall:
    """Start a server and call a tool, with the request for the list or so many seconds after it is answered."""
    call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": CALLS[tool]}}
    with subprocess.Popen(
        [sys.executable, "-m", "aurora", "mcp"],
        cwd=root,
        env={**os.environ, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        send(process, *hello, *([call] if delay is None else []))
        began = time.perf_counter()
        if delay is not None:
            wait_for(process, 2)
            time.sleep(delay)
            began = time.perf_counter()
            send(process, call)
        wait_for(process, 3)
        found = FirstCall(time.perf_counter() - began, read_processor_time(process.pid))
        assert process.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        process.stdin.close()
        process.wait()
    return found


def _compare_sides(
    root: Path, warm: Mapping[str, str], hello: Sequence[Mapping[str, Any]], tool: str, rounds: int
) -> Row:
    """Compare the processor time until the answer to a call sent with the list, with the server's that has no cache."""
    pairs = [[call_first(root, environ, hello, tool).processor for environ in (warm, NO_CACHE)] for _ in range(rounds)]
    ours, theirs = (median(side) for side in zip(*pairs, strict=True))
    ratio = median([one / other for one, other in pairs])
    figure = f"processor time, spawn to a first {tool}"
    return Row(figure, f"{ours:,.0f} ms", f"without a cache: {theirs:,.0f} ms", ratio)


def _find_quick_time(root: Path, warm: Mapping[str, str], hello: Sequence[Mapping[str, Any]], tool: str) -> Row:
    """Find the time after the list from which on a first call takes less than 100 ms."""
    delay = 0.0
    at_once = took = _sample(root, warm, hello, tool, delay)
    while took >= QUICK_SECONDS and delay < LAST_SECONDS:
        delay += STEP_SECONDS
        took = _sample(root, warm, hello, tool, delay)
    figure = f"from the list until a first {tool} takes < {QUICK_SECONDS * 1000:.0f} ms"
    return Row(figure, f"{delay * 1000:,.0f} ms", f"at once it takes {at_once * 1000:,.0f} ms", delay / at_once)


def _sample(root: Path, warm: Mapping[str, str], hello: Sequence[Mapping[str, Any]], tool: str, delay: float) -> float:
    return median([call_first(root, warm, hello, tool, delay).seconds for _ in range(SAMPLES)])


def send(process: subprocess.Popen[bytes], *messages: Mapping[str, Any]) -> None:
    """Send messages to a server, one a line."""
    assert process.stdin is not None  # noqa: S101 - as above
    process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    process.stdin.flush()


def wait_for(process: subprocess.Popen[bytes], identifier: int) -> None:
    """Read what a server writes until it has answered this request."""
    assert process.stdout is not None  # noqa: S101 - as above
    for line in process.stdout:
        if json.loads(line).get("id") == identifier:
            return
    sys.exit("the server ended without an answer")


def read_processor_time(process: int) -> float:
    """Return the processor time of a process in milliseconds, with that of threads that have ended; in steps of 10."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
