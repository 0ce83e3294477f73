"""Process of a host, which is ended together with all its children."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def run_host(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> tuple[str, int | None]:
    """Run a host to its end, and end all that it leaves running.

    Returns:
        Its output with its errors, and its exit code; None if it has not ended after so many seconds.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
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


def _end_group(process: int) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return
