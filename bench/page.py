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

from aurora.tools.runtime import Workspace

RUNS = 10_000
REPEATS = 15


def fill(root: Path) -> str:
    """Copy a run until there are `RUNS` of them; return the id of one."""
    with Workspace(root) as workspace:
        journal = workspace.memory.journal
        row = max(journal.runs(50), key=lambda one: one.steps)
        steps = [(one.phase, one.document) for one in journal.steps(row.run)]
        with workspace.memory.shared_store.begin_read() as db:
            known, _ = db.runs.get_latest_change()
        for number in range(RUNS - known):
            journal.create(f"b{number:07}", row.workflow, {**row.document, "run": f"b{number:07}"}, steps[:3])
        return row.run


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


def read_memory(process: int) -> str:
    """Return the resident memory of a process, and the part that is its own, in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    whole, own = (int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmRSS", "RssAnon"))  # type: ignore[index]
    return f"{whole / 1024:.0f} MB, of which {own / 1024:.0f} MB are not of files"


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


def main() -> None:
    """Measure, and print a table."""
    source = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        shutil.copytree(source, root)
        run = fill(root)
        control, terminal = pty.openpty()
        command = [sys.executable, "-m", "aurora", "ui", str(root)]
        process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=subprocess.STDOUT)
        printed = b""
        while not (found := re.search(rb"(http://\S+\?token=\S+)\s", printed)):
            printed += os.read(control, 4096)
        browser = Browser(found[1].decode())
        print(f"memory at the start: {read_memory(process.pid)}")
        views = {
            f"runs ({RUNS:,})": "/p/project/runs",
            "the last page of runs": f"/p/project/runs?offset={RUNS - 50}",
            "runs in a state": "/p/project/runs?status=ended",
            "runs with a text": "/p/project/runs?text=resolve_command",
            "a run": f"/p/project/runs/{run}",
            "a step": f"/p/project/runs/{run}?step=3",
            "workflows": "/p/project/workflows",
            "a workflow": "/p/project/workflows/soar",
            "its coverage": "/p/project/workflows/soar?tab=coverage",
            "memory": "/p/project/memory",
        }
        print(f"{'view':24} {'first byte':>10} {'whole':>8} {'size':>8}   (median of {REPEATS}, ms and kB)")
        for name, path in views.items():
            browser.fetch(path)
            some = [browser.fetch(path) for _ in range(REPEATS)]
            first, whole, size = (statistics.median(values) for values in zip(*some, strict=True))
            print(f"{name:24} {first:10.1f} {whole:8.1f} {size / 1000:8.1f}")
        print(f"memory after these views: {read_memory(process.pid)}")
        browser.fetch("/p/project/memory?q=resolve+command")
        print(f"memory after a search: {read_memory(process.pid)}")
        print(f"live: an event at most {measure_live(root, browser):.0f} ms after the commit of a step")
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
