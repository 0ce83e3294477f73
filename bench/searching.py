"""Duration of a search in a running process, and in a new one.

One run measures one point of the curve.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from installation import installed
from rows import Row, emit, median, percentile

from aurora.memory import Memory
from aurora.memory.embeddings.embedder import DIMENSIONS

ROUNDS = 5
COLD = 7
AIM_MEDIAN, AIM_WORST, AIM_COLD = 10.0, 50.0, 200.0
AIMED = 150_000
"""The aims are for a hundred thousand chunks; far beyond, the curve is told without one."""
QUERIES = (
    "how are files opened",
    "where is the retry delay computed",
    "parse command line arguments",
    "JSONDecoder",
    "read_text encoding",
    '"not enough values"',
    "how does logging rotate its files",
    "convert a datetime to another time zone",
    "thread pool that runs callables",
    "walk a directory tree",
    "`Path.resolve`",
    "what happens when a socket times out",
    "regular expression compile cache",
    "sqlite connection row factory",
    "abstract syntax tree visitor",
    "render a table in the terminal",
    "base64 encode bytes",
    "HTTP header parsing",
    "import a module by its name",
    "escape html entities",
)


def main() -> None:
    """Measure over the project that the command line names."""
    project, chunks = Path(sys.argv[1]), int(sys.argv[2])
    emit([_warm(project, chunks), _cold(project, chunks)])


def _warm(project: Path, chunks: int) -> Row:
    times = []
    with Memory.open(project / ".aurora" / "memory.db") as memory:
        memory.warm_up()
        for _ in range(ROUNDS):
            for query in QUERIES:
                began = time.perf_counter()
                found = memory.search(query)
                times.append((time.perf_counter() - began) * 1000)
                # a search that finds nothing would be another measurement; a phrase may stand nowhere in a small memory
                assert found.hits or '"' in query, query  # noqa: S101 - see above
    times = times[len(QUERIES) :]  # the first round reads what the others find in memory
    middle, late, bare = median(times), percentile(times, 0.99), _product(chunks)
    return Row(
        f"a search, {chunks:,} chunks",
        f"{middle:.1f} ms (p99 {late:.1f})",
        f"a product over as many vectors: {bare:.2f} ms",
        middle / bare,
        f"< {AIM_MEDIAN:.0f} ms, p99 < {AIM_WORST:.0f} ms" if chunks < AIMED else "",
        middle < AIM_MEDIAN and late < AIM_WORST if chunks < AIMED else None,
    )


def _product(chunks: int) -> float:
    """Milliseconds of one product of `chunks` vectors and a query's."""
    matrix = np.ones((chunks, DIMENSIONS), np.float32)
    vector = np.ones(DIMENSIONS, np.float32)
    times = []
    for _ in range(ROUNDS * 3):
        began = time.perf_counter()
        matrix @ vector
        times.append((time.perf_counter() - began) * 1000)
    return median(times)


def _cold(project: Path, chunks: int) -> Row:
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        python = str(installed(Path(folder) / "installed"))
        aur = [python, "-m", "aurora", "--project", str(project), "mem", "search", "how are files opened"]
        mine, bare = _alternately(aur, [python, "-c", "import numpy"])
    return Row(
        f"aur mem search, cold, {chunks:,} chunks",
        f"{mine:.0f} ms",
        f"python that imports numpy: {bare:.0f} ms",
        mine / bare,
        f"< {AIM_COLD:.0f} ms" if chunks < AIMED else "",
        mine < AIM_COLD if chunks < AIMED else None,
    )


def _alternately(mine: list[str], bare: list[str]) -> tuple[float, float]:
    """Measure the milliseconds of two commands in turns.

    So a changing load of the machine affects both.
    """
    times = [(_seconds(mine), _seconds(bare)) for _ in range(COLD)]
    return median([one for one, _ in times]) * 1000, median([other for _, other in times]) * 1000


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
