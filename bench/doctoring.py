"""Duration of the doctor on a healthy project.

The baseline is to start the server once and list its tools.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import grow
from rows import Row, emit, median

from aurora.hosts import list_server_tools

ROUNDS = 5
CHUNKS = 2_000
AIM_SECONDS = 3.0


def main() -> None:
    """Measure both, one after the other, in each round."""
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        project, home = Path(folder) / "project", Path(folder) / "home"
        home.mkdir()
        held = grow(project, CHUNKS)["chunks"]
        environ = {**os.environ, "HOME": str(home)}
        aur = [sys.executable, "-m", "aurora"]
        for words in (["init", "--hosts", "claude-code", "--yes", "--no-index"], ["mem", "index"]):
            subprocess.run([*aur, *words], cwd=project, env=environ, check=True, capture_output=True)
        taken, bare = [], []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            subprocess.run([*aur, "doctor"], cwd=project, env=environ, check=True, capture_output=True)
            middle = time.perf_counter()
            list_server_tools([*aur, "mcp"], project)
            taken.append(middle - began)
            bare.append(time.perf_counter() - middle)
    mine, yard = median(taken), median(bare)
    figure = f"`aur doctor`, {held:,} chunks, one assistant"
    aim = f"< {AIM_SECONDS:.0f} s"
    emit([Row(figure, f"{mine:.2f} s", f"a server's start: {yard:.2f} s", mine / yard, aim, mine < AIM_SECONDS)])


if __name__ == "__main__":
    main()
