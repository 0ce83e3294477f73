"""Time until a server lists its tools and answers a first call, and until `aur --help` answers.

The measurements alternate with those of their baselines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from first_call import measure_first_calls
from rows import Row, emit, median

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
AIM_SERVER = 1.15
AIM_HELP = 2.0
MOST_CALLS = 7
"""Rounds in which first calls are measured; each has four starts of a server."""

HELLO: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


def until_listed(command: Sequence[str], cwd: str) -> float:
    """Seconds from spawning the server to its answer to tools/list."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
        assert process.stdout is not None  # noqa: S101 - as above
        process.stdin.write("".join(json.dumps(message) + "\n" for message in HELLO))
        process.stdin.flush()
        for line in process.stdout:
            if json.loads(line).get("id") == 2:  # noqa: PLR2004 - the id of tools/list above
                taken = time.perf_counter() - began
                break
        else:
            sys.exit(f"{command} ended without listing its tools")
        process.stdin.close()
        process.stdout.read()
    return taken


def until_done(command: Sequence[str], cwd: str) -> float:
    """Seconds that a command takes."""
    began = time.perf_counter()
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Measure, first one side and then the other in every round."""
    aurora, bare, helped, click = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        server = [sys.executable, "-m", "aurora", "mcp", "--project", folder]
        for number in range(ROUNDS + 1):  # the first round fills the file cache and is not counted
            pair = until_listed(server, folder), until_listed([sys.executable, str(HERE / "bare_server.py")], folder)
            quick = (
                until_done([sys.executable, "-m", "aurora", "--help"], folder),
                until_done([sys.executable, "-c", "import click"], folder),
            )
            if number:
                aurora.append(pair[0])
                bare.append(pair[1])
                helped.append(quick[0])
                click.append(quick[1])
    emit(
        [
            _row("spawn to tools/list", (aurora, bare), "the SDK's bare server", AIM_SERVER),
            _row("aur --help", (helped, click), 'python -c "import click"', AIM_HELP),
            *measure_first_calls(HELLO, min(ROUNDS, MOST_CALLS)),
        ]
    )


def _row(figure: str, times: tuple[list[float], list[float]], against: str, aim: float) -> Row:
    ours, theirs = (median(side) * 1000 for side in times)
    ratio = median([one / other for one, other in zip(*times, strict=True)])  # pairs: a busy moment slows both sides
    return Row(figure, f"{ours:.0f} ms", f"{against}: {theirs:.0f} ms", ratio, f"≤ {aim}", ratio <= aim)


if __name__ == "__main__":
    main()
