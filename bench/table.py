"""`make bench`: start, steps, search and indexing of this checkout, alternately with another one.

    python bench/table.py [--files 600] [--rounds 7] [--against FOLDER]

FOLDER is another checkout, set up with `make setup`; without it a column has the figures alone. Everything is measured
from outside, as a process, so any two versions can be compared. The rounds of the two alternate, because these machines
are shared: a busy minute slows both. Processor time is that of the process and its children, and depends less on what
else runs than the time on the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "Where is the delimiter of a csv file detected?"
SEARCHES = (
    "parse a date",
    "read a line from a socket",
    "open a temporary file",
    "compile a regular expression",
    "encode an email header",
    "lock a thread",
    "copy a tree of files",
    "decode json",
    "format a traceback",
    "compare two sequences",
)
MAX_BYTES = 200_000
"""Larger files are generated tables, which say little about indexing of code."""
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


@dataclass
class Checkout:
    """One checkout under measurement, with a project of its own and its figures."""

    folder: Path
    project: Path
    figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def command(self) -> list[str]:
        """The start of a command line of this checkout's `aur`."""
        return [str(self.folder / ".venv" / "bin" / "python"), "-m", "aurora", "--project", str(self.project)]

    def measure_command(self, figure: str, *words: str) -> None:
        """Run a command, and note its processor time in milliseconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*self.command, *words], check=True, stdout=subprocess.DEVNULL, env=_environment())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.figures[figure].append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))


class Answer(NamedTuple):
    """A response, and the milliseconds until it came."""

    result: dict[str, Any]
    milliseconds: float


class Server:
    """An `aur mcp` over stdio; one call at a time."""

    def __init__(self, checkout: Checkout) -> None:
        self._process = subprocess.Popen(
            [*checkout.command, "mcp"],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0

    def ask(self, method: str, params: dict[str, Any]) -> Answer:
        """Send a request, and wait for its response."""
        self._number += 1
        began = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for line in self._process.stdout or ():
            message = json.loads(line)
            if message.get("id") == self._number:
                return Answer(message.get("result", message), 1000 * (time.perf_counter() - began))
        sys.exit(f"the server ended before it answered {method}")

    def greet(self) -> None:
        """Begin the session."""
        self.ask("initialize", CLIENT)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool; the result is its structured content."""
        result, taken = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return Answer(result["structuredContent"], taken)

    def read_cpu_milliseconds(self) -> float:
        """Return the processor time that the process and its ended children have taken."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return 1000 * sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the input, and wait for the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(60)

    def _send(self, message: dict[str, Any]) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()


def measure_start(checkout: Checkout) -> None:
    """Measure a server until it has listed its tools, and its first step."""
    server = Server(checkout)
    began = time.perf_counter()
    server.greet()
    server.ask("tools/list", {})
    checkout.figures["first tools/list, ms on the clock"].append(1000 * (time.perf_counter() - began))
    checkout.figures["first tools/list, processor ms"].append(server.read_cpu_milliseconds())
    first = server.call("aurora_query", {"query": QUESTION})
    checkout.figures["first step of a new server, ms"].append(first.milliseconds)
    server.close()


def measure_calls(checkout: Checkout) -> None:
    """Measure steps and searches of a server that is warm."""
    server = Server(checkout)
    server.greet()
    for query in SEARCHES:
        server.call("aurora_search", {"query": query})
    for query in SEARCHES:
        checkout.figures["search, ms"].append(server.call("aurora_search", {"query": query}).milliseconds)
    for _ in range(3):
        begun = server.call("aurora_query", {"query": QUESTION})
        checkout.figures["assess, ms"].append(begun.milliseconds)
        following = server.call("aurora_query", begun.result["next_call"]["arguments"])
        checkout.figures["retrieve, ms"].append(following.milliseconds)
    server.close()


def make_project(folder: Path, files: int) -> None:
    """Copy modules of the standard library, the same ones for each checkout."""
    library = Path(sysconfig.get_path("stdlib"))
    found = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    found = [path for path in found if path.stat().st_size < MAX_BYTES]
    random.Random(7).shuffle(found)  # noqa: S311 - for variety, not for secrecy
    (folder / ".git").mkdir(parents=True)
    for path in found[:files]:
        target = folder / path.relative_to(library)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def measure_all(checkouts: Sequence[Checkout], rounds: int) -> Iterator[str]:
    """Measure the checkouts in turns; yield the name of each part before it begins."""
    yield "indexing"
    for _ in range(max(1, rounds // 3)):
        for checkout in checkouts:
            shutil.rmtree(checkout.project / ".aurora", ignore_errors=True)
            checkout.measure_command("aur mem index, processor ms", "mem", "index")
    yield "commands"
    for _ in range(rounds):
        for checkout in checkouts:
            checkout.measure_command("aur --help, processor ms", "--help")
            checkout.measure_command("aur mem search, processor ms", "mem", "search", "detect the delimiter")
            checkout.measure_command("aur workflow validate soar, processor ms", "workflow", "validate", "soar")
    for name, measure in (("server", measure_start), ("calls", measure_calls)):
        yield name
        for _ in range(rounds):
            for checkout in checkouts:
                measure(checkout)


def print_table(checkouts: Sequence[Checkout]) -> None:
    """Print the median of each figure, and its ratio to that of the other checkout."""
    own, *others = checkouts
    print("| figure | median |" + " against | ratio |" * len(others))
    print("|---|---|" + "---|---|" * len(others))
    for figure, values in own.figures.items():
        middle = statistics.median(values)
        cells = [f"{middle:,.1f}"]
        for other in others:
            theirs = statistics.median(other.figures[figure])
            cells += [f"{theirs:,.1f}", f"{middle / theirs:.2f}" if theirs else ""]
        print(f"| {figure} | {' | '.join(cells)} |")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("AURORA_DB", "AURORA_LOG", "READ_ONLY")}


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=600, help="modules in the project")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each figure")
    parser.add_argument("--against", type=Path, help="another checkout, set up")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aurora-bench-") as folder:
        folders = [ROOT, *([given.against.resolve()] if given.against else [])]
        checkouts = [Checkout(one, Path(folder) / f"project{number}") for number, one in enumerate(folders)]
        for checkout in checkouts:
            make_project(checkout.project, given.files)
        for part in measure_all(checkouts, given.rounds):
            print(f"… {part}", file=sys.stderr, flush=True)
        print_table(checkouts)


if __name__ == "__main__":
    main()
