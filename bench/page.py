"""Measure the page: first bytes, sizes, 10,000 runs, live updates, and the memory of its process.

`python bench/page.py FOLDER` takes a folder that is indexed and has at least one run; its database is copied.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from aurora.memory import has_memory
from aurora.tools.runtime import Workspace
from aurora.tools.workflows import step_workflow
from tests.ui.rounds import ROUNDS

RUNS = 10_000
LONG = 900
"""Steps of the longest run."""
REPEATS = 15


def fill(root: Path) -> dict[str, str]:
    """Copy a run until there are `RUNS` of them; return the id of one with many steps, and of others by their view."""
    (root / ".aurora" / "workflows").mkdir(exist_ok=True)
    (root / ".aurora" / "workflows" / "rounds.yaml").write_text(ROUNDS, encoding="utf-8")
    with Workspace(root) as workspace:
        journal = workspace.memory.journal
        row = max(journal.runs(50), key=lambda one: one.steps)
        steps = [(one.phase, one.document) for one in journal.steps(row.run)]
        for number in range(RUNS - journal.latest_change()[0] - 2):
            journal.create(f"b{number:07}", row.workflow, {**row.document, "run": f"b{number:07}"}, steps[:3])
        long = step_workflow(workspace, {"workflow": "rounds", "phase": "draft", "task": "Write it."})["run"]
        for number in range(LONG // 3):
            step_workflow(workspace, {"phase": "continue", "run": long, "answer": {"text": f"{number} " * 500}})
            step_workflow(workspace, {"phase": "draft", "run": long})
        new = step_workflow(workspace, {"phase": "assess", "query": "How does the journal make a step durable?"})["run"]
        return {f"a run of {row.steps} steps": row.run, "a run of one step": new, f"a run of {LONG} steps": long}


class Browser:
    """Connection with a session."""

    def __init__(self, link: str) -> None:
        self.host = link.split("/")[2]
        self.connection = HTTPConnection(self.host)
        self.connection.request("GET", f"/{link.split('/', 3)[3]}")
        answer = self.connection.getresponse()
        answer.read()
        self.cookie = str(answer.getheader("set-cookie")).partition(";")[0]

    def fetch(self, path: str) -> tuple[float, float, int]:
        """Return the milliseconds to the first byte and to the last, and the size."""
        began = time.perf_counter()
        self.connection.request("GET", path, headers={"Cookie": self.cookie})
        answer = self.connection.getresponse()
        first = time.perf_counter() - began
        size = len(answer.read())
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"{path}: {answer.status}")
        return first * 1000, (time.perf_counter() - began) * 1000, size


def read_memory(process: int) -> tuple[float, float]:
    """Return the resident memory of a process, and the part that is its own, in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    whole, own = (int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmRSS", "RssAnon"))  # type: ignore[index]
    return whole / 1024, own / 1024


def measure_live(root: Path, browser: Browser) -> float:
    """Return the milliseconds from a step's commit to its event."""
    with Workspace(root) as workspace:
        journal = workspace.memory.journal
        row = journal.runs(1)[0]
        stream = HTTPConnection(browser.host)
        name = root.name.lower()
        stream.request("GET", f"/p/{name}/live?run={row.run}", headers={"Cookie": browser.cookie})
        answer = stream.getresponse()
        while not answer.readline().startswith(b"data:"):
            pass
        took = []
        for number in range(8):
            time.sleep(0.13 * (number % 3))
            journal.append(row.run, row.steps + 1 + number, [("assess", {})], row.document)
            began = time.perf_counter()
            while not answer.readline().startswith(b"data:"):
                pass
            took.append((time.perf_counter() - began) * 1000)
        stream.close()
        return max(took)


def print_view(browser: Browser, process: int, name: str, path: str) -> None:
    """Fetch a view once, then `REPEATS` times, and print its line with the memory after it."""
    at_first, _, _ = browser.fetch(path)
    some = [browser.fetch(path) for _ in range(REPEATS)]
    first, whole, size = (statistics.median(values) for values in zip(*some, strict=True))
    resident, own = read_memory(process)
    print(f"{name:24} {at_first:9.1f} {first:10.1f} {whole:8.1f} {size / 1000:8.1f} {resident:7.0f} {own:6.0f}")


def wait_until_idle(process: int) -> None:
    """Wait until a process, and those that it started, used no processor time for a second: it has warmed up."""
    before, now = -1, 0
    while now != before or any(one.read_text() for one in Path(f"/proc/{process}/task").glob("*/children")):
        time.sleep(1)
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        before, now = now, sum(map(int, fields[11:15]))  # its own time, and that of the processes that it ended


def list_views(runs: dict[str, str]) -> dict[str, str]:
    """List the views by their names, with their paths below the project."""
    run, *others = runs.values()
    return {
        "runs": "runs",
        "runs in a state": "runs?status=ended",
        **{view: f"runs/{one}" for view, one in runs.items()},
        "a step": f"runs/{run}?step=3",
        "a run as a test case": f"runs/{run}/case",
        **({"a long one": f"runs/{others[-1]}/case"} if others else {}),
        "two runs": f"runs/compare?run={run}&run={(others or [run])[0]}",
        "workflows": "workflows",
        "a workflow": "workflows/soar",
        "a phase of another": "workflows/bug-fix?phase=reproduce",
        "its coverage": "workflows/soar?tab=coverage",
        "memory": "memory",
        "doctor": "doctor",
        "runs with a text": "runs?text=resolve_command",
        "a search": "memory?q=resolve+command",
    }


def measure_page(root: Path, views: dict[str, str], *, is_live: bool) -> None:
    """Serve a project, and print a line for each view; the memory is that after the view was shown."""
    control, terminal = pty.openpty()
    command = [sys.executable, "-m", "aurora", "ui", str(root)]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=subprocess.STDOUT)
    printed = b""
    while not (found := re.search(rb"(http://\S+\?token=\S+)\s", printed)):
        printed += os.read(control, 4096)
    browser = Browser(found[1].decode())
    wait_until_idle(process.pid)
    print("{:61} {:8.0f} {:6.0f}".format("warmed up", *read_memory(process.pid)))
    for name, path in views.items():
        print_view(browser, process.pid, name, f"/p/project/{path}")
    if is_live:
        print(f"live: an event at most {measure_live(root, browser):.0f} ms after the commit of a step")
    process.terminate()
    process.wait()


def main() -> None:
    """Measure the page over the project as it is, then with `RUNS` runs, and print a table of each."""
    if len(sys.argv) != 2 or not has_memory(source := Path(sys.argv[1]).resolve()):  # noqa: PLR2004 - the program and FOLDER
        sys.exit("usage: python bench/page.py FOLDER, with a project that is indexed and has a run of several steps")
    os.environ["AURORA_TRUST"] = "1"  # the copy has a workflow of ours
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        shutil.copytree(source, root, symlinks=True)
        with Workspace(root) as workspace:
            journal = workspace.memory.journal
            row, (count, _) = max(journal.runs(50), key=lambda one: one.steps), journal.latest_change()
        print(f"{'':24} {'ms':>9} {'ms':>10} {'ms':>8} {'kB':>8} {'MB':>7} {'MB':>6}   (medians of {REPEATS})")
        print(f"{'view':24} {'at first':>9} {'first byte':>10} {'whole':>8} {'size':>8} {'memory':>7} {'own':>6}")
        print(f"{count:,} runs")
        measure_page(root, list_views({f"a run of {row.steps} steps": row.run}), is_live=False)
        filled = fill(root)
        print(f"{RUNS:,} runs")
        views = {**list_views(filled), "the last page of runs": f"runs?offset={RUNS - 50}"}
        measure_page(root, views, is_live=True)


if __name__ == "__main__":
    main()
