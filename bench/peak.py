"""Peak memory of the server after a search, and of the indexer.

The baseline of each is the smallest program that does the same kind of work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, emit
from start import HELLO

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
AIM, AIMED = 500, 150_000
"""Megabytes of the indexer, and the chunks up to which it is promised."""
SEARCH = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "aurora_search", "arguments": {"query": "how are files opened"}},
}


def peak(command: Sequence[str], messages: Sequence[object] = ()) -> float:
    """Measure the megabytes of the largest process of a command.

    This is `ru_maxrss` of the child that was waited for.

    A child begins with what its parent had, so this script stays small: it imports nothing of Aurora.
    """
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None  # noqa: S101 - tells the type checker what PIPE means
    assert process.stdout is not None  # noqa: S101 - as above
    process.stdin.write("".join(json.dumps(message) + "\n" for message in messages).encode())
    process.stdin.flush()
    wanted = sum("id" in message for message in messages if isinstance(message, dict))
    for line in process.stdout:
        wanted -= "result" in json.loads(line) if messages else 0
        if messages and not wanted:
            break
    process.stdin.close()
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed")
    return usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> None:
    """Measure over the project that the command line names."""
    project = sys.argv[1]
    aur = [sys.executable, "-m", "aurora", "--project", project]
    server = peak([*aur, "mcp"], [*HELLO, SEARCH])
    bare = peak([sys.executable, str(HERE / "bare_server.py")], HELLO)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AURORA_DB"] = str(Path(folder) / "memory.db")
        indexing = peak([*aur, "--json", "mem", "index"])
        del os.environ["AURORA_DB"]
    parsing = peak([sys.executable, str(HERE / "parse_alone.py"), project])
    chunks = sys.argv[2]
    emit(
        [
            Row(
                f"peak memory: aur mcp, {chunks} chunks",
                f"{server:.0f} MB",
                f"the bare server: {bare:.0f} MB",
                server / bare,
            ),
            Row(
                f"peak memory: indexing, {chunks} chunks",
                f"{indexing:.0f} MB",
                f"parsing alone: {parsing:.0f} MB",
                indexing / parsing,
                f"< {AIM} MB" if int(chunks.replace(",", "")) < AIMED else "",
                indexing < AIM if int(chunks.replace(",", "")) < AIMED else None,
            ),
        ]
    )


if __name__ == "__main__":
    main()
