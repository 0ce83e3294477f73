"""Processor time of large workflows: 1,000 phases, 10,000 items, and 2,000 steps of one run.

BENCH_PHASES is the number of phases. Times are of the processor, and so depend little on what else runs.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from large_workflows import ITEMS, ROUNDS, build_branching, build_different
from latency import Server
from rows import Row, emit

from aurora.tools.runtime.workspace import Workspace
from aurora.tools.workflows.query import step_workflow

PHASES = int(os.environ.get("BENCH_PHASES", "1000"))
STEPS = 2_000
ITEM_COUNT = 10_000
WINDOW = 100
"""Calls at the beginning and at the end of a run that are compared."""
IDLE = 0.02
"""Seconds of processor time in half a second below which a server is idle."""
AIM_VALIDATE, AIM_FIRST_STEP, AIM_SIMULATE, AIM_GROWTH = 3.0, 0.5, 20.0, 1.5
FIRST_CALL = {"workflow": "branching", "phase": "p0", "note": "a note"}


def run_command(root: Path, environ: dict[str, str], *words: str) -> float:
    """Run `aur` in a project; return the processor seconds of the process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "aurora", *words]
    subprocess.run(command, cwd=root, env=environ, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_first_step(root: Path) -> float:
    """Return the processor seconds of a new server for its first call; of `ping` they are none."""
    server = Server(str(root))
    try:
        time.sleep(0.5)  # what the server begins at its start is not part of the call
        before = server.read_cpu_seconds()
        server.call("first", "aurora_query", FIRST_CALL)
        return server.read_cpu_seconds() - before
    finally:
        server.close()


def measure_prepared_step(root: Path) -> float:
    """Return the processor seconds of the first call of a server that was idle before, which reads ahead then."""
    server = Server(str(root))
    try:
        server.list_tools()
        _wait_until_idle(server)
        before = server.read_cpu_seconds()
        server.call("first", "aurora_query", FIRST_CALL)
        return server.read_cpu_seconds() - before
    finally:
        server.close()


def measure_new_workflow(root: Path, name: str, text: str) -> float:
    """Return the processor seconds of the first call of a new workflow in a process that has made others before."""
    folder = root / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "rounds.yaml").write_text(ROUNDS, encoding="utf-8")
    with Workspace(root) as workspace:
        measure_rounds(workspace, 10)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        began = time.process_time()
        response = step_workflow(workspace, {**FIRST_CALL, "workflow": name})
        taken = time.process_time() - began
    if response["status"] == "error":
        sys.exit(str(response["error"]))
    return taken


def _wait_until_idle(server: Server, patience: float = 60.0) -> None:
    """Wait until the server takes no more processor time."""
    deadline = time.monotonic() + patience
    while server.measure_rest() > IDLE and time.monotonic() < deadline:
        pass


def measure_trusted_step(root: Path) -> float:
    """Return the processor seconds of the first step after `aur trust`, in a state folder of its own."""
    before = dict(os.environ)
    os.environ["XDG_STATE_HOME"] += "-trusted"
    del os.environ["AURORA_TRUST"]
    try:
        run_command(root, dict(os.environ), "trust", "--yes")
        return measure_first_step(root)
    finally:
        os.environ.update(before)


def measure_rounds(workspace: Workspace, steps: int = STEPS) -> list[float]:
    """Run two phases by turns; return the processor seconds of each call."""
    times: list[float] = []
    response: dict[str, Any] = {}
    arguments: dict[str, Any] = {"workflow": "rounds", "phase": "write"}
    while len(times) < steps:
        began = time.process_time()
        response = step_workflow(workspace, arguments)
        times.append(time.process_time() - began)
        if response["status"] == "error":
            sys.exit(str(response["error"]))
        answer = {"text": "a text"} if response["phase"] == "write" else {"ok": False}
        arguments = {**response["next_call"]["arguments"], "answer": answer}
    return times


def measure_items(workspace: Workspace, items: int = ITEM_COUNT) -> list[float]:
    """Answer the prompts of a `for_each`; return the processor seconds of each call."""
    times: list[float] = []
    arguments: dict[str, Any] = {"workflow": "items", "phase": "each", "names": [f"n{at}" for at in range(items)]}
    while True:
        began = time.process_time()
        response = step_workflow(workspace, arguments)
        times.append(time.process_time() - began)
        if response["status"] == "error":
            sys.exit(str(response["error"]))
        if response["next_call"] is None:
            return times
        answers = [{"done": True}] * len(response["prompt_template"])
        arguments = {**response["next_call"]["arguments"], "answer": answers}


def measure_growth(times: list[float], window: int = WINDOW) -> tuple[float, float]:
    """Return the mean seconds of the first calls, without the very first, and of the last ones."""
    first, last = times[1 : window + 1], times[-window - 1 : -1]
    return sum(first) / len(first), sum(last) / len(last)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="aurora-scale-") as folder:
        root = Path(folder) / "project"
        own = root / ".aurora" / "workflows"
        own.mkdir(parents=True)
        (root / ".git").mkdir()
        os.environ.update(
            {"AURORA_TRUST": "1", "XDG_STATE_HOME": f"{folder}/state", "XDG_CACHE_HOME": f"{folder}/cache"}
        )
        for name, text in (("branching", build_branching(PHASES)), ("rounds", ROUNDS), ("items", ITEMS)):
            (own / f"{name}.yaml").write_text(text, encoding="utf-8")
        rows = [*_measure_large(root), *_measure_long(root)]
    emit(rows)


def _forget_checks(root: Path) -> None:
    """Edit the workflow without a change of its meaning, so that it counts as never checked."""
    with (root / ".aurora" / "workflows" / "branching.yaml").open("a", encoding="utf-8") as file:
        file.write("# another edit\n")


def _measure_large(root: Path) -> list[Row]:
    environ = dict(os.environ)
    idle = run_command(root, environ, "--version")
    cold, warm = measure_first_step(root), measure_first_step(root)
    _forget_checks(root)
    alike = measure_new_workflow(root.with_name("alike"), "branching", build_branching(PHASES))
    different = measure_new_workflow(root.with_name("different"), "different", build_different(PHASES))
    found = [
        ("first step within the first second of a server, nothing kept", cold, AIM_FIRST_STEP),
        ("first step of a server that was idle, nothing kept", measure_prepared_step(root), AIM_FIRST_STEP),
        ("first call of a new workflow in a process that runs, phases alike", alike, AIM_FIRST_STEP),
        ("first call of a new workflow in a process that runs, phases that differ", different, AIM_FIRST_STEP),
        ("first step, checked before", warm, AIM_FIRST_STEP),
        ("first step, folder trusted before", measure_trusted_step(root), AIM_FIRST_STEP),
        ("validate", run_command(root, environ, "workflow", "validate", "branching"), AIM_VALIDATE),
        ("simulate", run_command(root, environ, "workflow", "simulate", "branching"), AIM_SIMULATE),
    ]
    return [
        Row(
            f"{name}, {PHASES:,} phases",
            f"{taken:.2f} s",
            f"--version: {idle:.2f} s",
            taken / idle,
            f"< {aim} s",
            taken < aim,
        )
        for name, taken, aim in found
    ]


def _measure_long(root: Path) -> list[Row]:
    with Workspace(root) as workspace:
        rounds, items = measure_rounds(workspace), measure_items(workspace)
    rows = []
    for name, times, window in (("step of 2,000", rounds, WINDOW), ("call of 10,000 items", items, 20)):
        first, last = measure_growth(times, window)
        rows.append(
            Row(
                f"{name}, last {window}",
                f"{last * 1000:.2f} ms",
                f"the first: {first * 1000:.2f} ms",
                last / first,
                f"≤ {AIM_GROWTH}",
                last / first <= AIM_GROWTH,
            )
        )
    return rows


if __name__ == "__main__":
    main()
