"""`python bench/quick_start.py`: the start of `aur mcp` with and without the cache of the last start.

It prints a table: the processor time until `tools/list` is answered, the slowest of eight starts at once, and the time
until a tool call that is sent right after `tools/list`. Needs Linux, which tells the processor time of a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from first_call import read_processor_time, send, wait_for
from rows import median
from start import HELLO

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
AT_ONCE = 8
MAX_PROCESSOR = 60.0
"""Milliseconds of processor time until the tools are listed, when nothing has changed."""
MAX_AT_ONCE = 1500.0
"""Milliseconds until the slowest of eight has listed its tools."""
NO_CACHE = {"HOME": "", "XDG_CACHE_HOME": ""}
CALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "aurora_search", "arguments": {"query": "retry delay"}},
}


class Listed(NamedTuple):
    """One start, in milliseconds: the time until `tools/list` and the call were answered, and the processor time."""

    listed: float
    listed_processor: float
    called: float
    called_processor: float


def start_server(folder: str, environ: dict[str, str], *, has_call: bool = False) -> Listed:
    """Start a server, list its tools, and call one of them."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "aurora", "mcp"],
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        send(process, *HELLO)
        wait_for(process, 2)
        listed, listed_processor = time.perf_counter() - began, read_processor_time(process.pid)
        if has_call:
            send(process, CALL)
            wait_for(process, 3)
        called, called_processor = time.perf_counter() - began, read_processor_time(process.pid)
        assert process.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        process.stdin.close()
        process.wait()
    return Listed(listed * 1000, listed_processor, called * 1000, called_processor)


def main() -> None:
    """Measure with and without a cache in turn, and print."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as caches:
        Path(folder, "retry.py").write_text("def delay(n):\n    return 2 ** n\n", encoding="utf-8")
        warm = {"XDG_CACHE_HOME": caches}
        start_server(folder, warm)
        without, with_cache = [], []
        for _ in range(ROUNDS):
            without.append(start_server(folder, NO_CACHE, has_call=True))
            with_cache.append(start_server(folder, warm, has_call=True))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            slowest = [
                max(one.listed for one in pool.map(start_server, [folder] * AT_ONCE, [environ] * AT_ONCE))
                for environ in (NO_CACHE, warm)
            ]
    _print_row("", "without a cache", "with it", "at most")
    for figure, name, most in (
        ("processor time to tools/list", "listed_processor", MAX_PROCESSOR),
        ("time to tools/list", "listed", None),
        ("processor time to a call right after", "called_processor", None),
        ("time to a call right after", "called", None),
    ):
        _print_figures(figure, [median([getattr(one, name) for one in side]) for side in (without, with_cache)], most)
    _print_figures(f"slowest tools/list of {AT_ONCE} at once", slowest, MAX_AT_ONCE)


def _print_figures(figure: str, sides: list[float], most: float | None = None) -> None:
    bound = "" if most is None else f"{most:,.0f} ms {'met' if sides[1] <= most else 'missed'}"
    _print_row(figure, *(f"{side:,.0f} ms" for side in sides), bound)


def _print_row(*cells: str) -> None:
    print(f"{cells[0]:38}{cells[1]:>16}{cells[2]:>12}   {cells[3]}")


if __name__ == "__main__":
    main()
