"""Check of a project's workflows in a process of its own, whose memory ends with it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from aurora.tools.runtime import Workspace

_SECONDS = 120


def check_apart(root: Path) -> None:
    """Check the workflows of a project in another process, which keeps what it finds to be without errors.

    The checker and its libraries take 11 MB of memory, which this process then needs only for a file with problems.
    """
    command = [sys.executable, "-P", "-m", "aurora.ui.local.prepare", str(root)]  # -P: no code of the current folder
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - Aurora itself
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_SECONDS
        )


def main() -> None:
    """Check the workflows of the project whose folder is the first argument."""
    with Workspace(Path(sys.argv[1]), for_display=True) as workspace:
        workspace.workflows.list_summaries()


if __name__ == "__main__":
    main()
