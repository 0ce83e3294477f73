"""Process of a host, which is ended together with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MARK = "BENCH_HOST_RUN"
"""Variable that all processes of one run inherit."""


def run_host(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> tuple[str, int | None]:
    """Run a host to its end, and end all that it leaves running; on Linux also what has left its group.

    Cline CLI leaves a server in a session of its own, which would serve the next walk, too.

    Returns:
        Its output with its errors, and its exit code; None if it has not ended after so many seconds.
    """
    mark = uuid.uuid4().hex
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, _MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            return process.communicate(timeout=seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            return f"not finished after {seconds} s", None
        finally:
            _end_group(process.pid)
            _end_marked(mark)


def _end_group(process: int) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def _end_marked(mark: str) -> None:
    """End the processes whose environment has the mark; without `/proc` there is none to find."""
    entry = f"{_MARK}={mark}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if entry in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:  # it has ended, or belongs to another user
            continue
