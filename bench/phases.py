"""Duration of each phase: its median and its 99th percentile.

The memory is real and has a given number of chunks; so is the journal.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import apsw
from questions import LONG, SIMPLE, answer
from rows import Row, emit, median, percentile

from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

SIMPLE_WALKS = int(os.environ.get("BENCH_WALKS", "200"))
LONG_WALKS = SIMPLE_WALKS // 2
WARM = 5
AIM_MEDIAN, AIM_WORST = 10.0, 100.0
MOST_CALLS = 40

Times = dict[str, list[float]]


def walk(workspace: Workspace, query: str, times: Times) -> float:
    """Walk one question to its end; the milliseconds that all its calls took together."""
    arguments: dict[str, Any] = {"phase": "assess", "query": query}
    total = 0.0
    for _ in range(MOST_CALLS):
        began = time.perf_counter()
        response = step_workflow(workspace, {**arguments, "detail": "full"})
        taken = (time.perf_counter() - began) * 1000
        times[response["phase"]].append(taken)
        total += taken
        if response["status"] == "error":
            sys.exit(f"{query}: {response['error']['message']}")
        following = response["next_call"]
        if following is None:
            return total
        arguments = dict(following["arguments"])
        if "answer" in following["needs"]:
            arguments["answer"] = answer(response, query)
    sys.exit(f"{query}: no end within {MOST_CALLS} calls")


def bare_transaction(folder: Path, rounds: int) -> float:
    """Measure the median milliseconds of one durable insert.

    The database has the same settings and is otherwise empty.
    """
    times = []
    with (
        tempfile.TemporaryDirectory(dir=folder) as own,  # on the same disk as the memory
        contextlib.closing(apsw.Connection(str(Path(own) / "bare.db"))) as db,
    ):
        db.pragma("journal_mode", "wal")
        db.pragma("synchronous", "normal")
        db.execute("CREATE TABLE steps (document TEXT)")
        for _ in range(rounds):
            began = time.perf_counter()
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO steps VALUES (?)", ("x" * 4000,))
            db.execute("COMMIT")
            times.append((time.perf_counter() - began) * 1000)
    return median(times)


def main() -> None:
    """Measure over the project that the command line names."""
    project = Path(sys.argv[1])
    simple: Times = defaultdict(list)
    long: Times = defaultdict(list)
    with Workspace(project) as workspace:
        workspace.memory.warm_up()
        chunks = sum(workspace.memory.stats().chunks.values())
        for number in range(WARM):
            walk(workspace, SIMPLE[number], defaultdict(list))
            walk(workspace, LONG[number], defaultdict(list))
        whole = [walk(workspace, SIMPLE[number % len(SIMPLE)], simple) for number in range(SIMPLE_WALKS)]
        for number in range(LONG_WALKS):
            walk(workspace, LONG[number % len(LONG)], long)
    yard = bare_transaction(project, SIMPLE_WALKS)
    emit([_answered(whole, chunks, yard), *(_row(phase, values, chunks, yard) for phase, values in long.items())])


def _answered(whole: list[float], chunks: int, yard: float) -> Row:
    middle, worst = median(whole), max(whole)
    return Row(
        f"SIMPLE answered, {chunks:,} chunks",
        f"{middle:.1f} ms (p99 {percentile(whole, 0.99):.1f}, worst {worst:.1f})",
        f"a bare transaction: {yard:.3f} ms",
        middle / yard,
        f"< {AIM_MEDIAN:.0f} ms, never > {AIM_WORST:.0f} ms",
        middle < AIM_MEDIAN and worst <= AIM_WORST,
    )


def _row(phase: str, values: list[float], chunks: int, yard: float) -> Row:
    middle = median(values)
    measured = f"{middle:.1f} ms (p99 {percentile(values, 0.99):.1f})"
    return Row(f"{phase}, {chunks:,} chunks", measured, f"a bare transaction: {yard:.3f} ms", middle / yard)


if __name__ == "__main__":
    main()
