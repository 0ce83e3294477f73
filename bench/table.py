"""`make bench`: every measurement in one run and one table.

The sizes of the memories are on the command line.

Each measurement is a process of its own, so that one does not warm, fill or slow another.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus import grow
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
SIZES = [int(size.replace("_", "")) for size in sys.argv[1:]] or [1_000, 10_000, 100_000]
WIDTH = 170


def measure(script: str, *words: str) -> list[dict[str, Any]]:
    """Run a measurement; return its rows."""
    print(f"… {script} {' '.join(words)}".rstrip(), file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, str(HERE / f"{script}.py"), *words], stdout=subprocess.PIPE, check=True, env=_environment()
    )
    rows: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
    return rows


def main() -> None:
    """Measure and print."""
    began = time.perf_counter()
    os.environ.pop("AURORA_DB", None)
    rows = measure("start")
    rows += measure("validation")
    rows += measure("mutations")
    rows += measure("simulation")
    rows += measure("scale")
    rows += measure("evaluation")
    rows += measure("graph")
    rows += measure("assessment")
    rows += measure("doctoring")
    rows += measure("aliases")
    rows += measure("indexing", str(min(1500, max(100, SIZES[-1] // 60))))
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        for size in SIZES:
            project = Path(folder) / f"of{size}"
            print(f"… a project with {size:,} chunks", file=sys.stderr, flush=True)
            report = grow(project, size)
            rows += measure("searching", str(project), str(report["chunks"]))
            rows += measure("phases", str(project))
            rows += measure("peak", str(project), f"{report['chunks']:,}")
    _print(rows, time.perf_counter() - began)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("AURORA_DB", "AURORA_LOG", "READ_ONLY")}


def _print(rows: list[dict[str, Any]], seconds: float) -> None:
    table = Table(title=f"{_machine()}; {seconds:.0f} s", title_justify="left", title_style="dim")
    for name in ("figure", "measured", "against, in the same run"):
        table.add_column(name)
    table.add_column("ratio", justify="right")
    table.add_column("aim")
    for row in rows:
        aim = row["aim"] and f"{row['aim']} {'met' if row['met'] else 'MISSED'}"
        style = None if row["met"] is None else ("green" if row["met"] else "red")
        table.add_row(row["figure"], row["measured"], row["against"], f"{row['ratio']:.2f}", aim, style=style)
    console = Console()
    Console(width=None if console.is_terminal else WIDTH, highlight=False).print(table)


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {cores} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
