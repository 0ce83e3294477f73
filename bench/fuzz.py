"""Fuzz target: mutated workflows are checked and stepped in a child process with limits.

A run fails when the child ends by a signal, raises what is not a fault, or takes more time or memory than allowed. The
file that did it is kept in `build/fuzz`. `--seed` repeats a run; without it the seed is random and printed.
"""

from __future__ import annotations

import argparse
import json
import random
import selectors
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOUND = ROOT / "build" / "fuzz"
CASE_SECONDS = 30.0
"""Seconds of one case on a busy machine; the checks of the largest file take some five."""
MEMORY_BYTES = 3 * 1024**3
"""Address space of the child."""
RESIDENT_MEGABYTES = 1024
MAX_TEXT = 200_000

YAML_PARTS = (
    "{{",
    "}}",
    "{%",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "<<: *a",
    "!t ",
    "|\n",
    ">\n",
    "- ",
    "? ",
    ": ",
    "'",
    '"',
)
EXPRESSION_PARTS = ("[]", "[*]", ".a", " && ", " || ", "!", "`1`", "'x'", "(", ")", "|", "[?a]", "&a", "{a: b}", "@")
TEMPLATE_PARTS = (
    "{{ a }}",
    "{% if a %}",
    "{% endif %}",
    "{% for i in a %}",
    "{% endfor %}",
    "|upper",
    "~ a",
    "{{ 1",
    "#}",
)
SCHEMA_PARTS = (
    "{$ref: '#'}",
    "{allOf: [{$ref: '#'}]}",
    "{pattern: '(a+)+$'}",
    "{pattern: '(?=a)'}",
    "{type: array, uniqueItems: true}",
    "{multipleOf: 1e-308}",
    "{const: 1e999}",
    "{enum: []}",
    "{minimum: 99999999999999999999999}",
)
PARTS = (
    *YAML_PARTS,
    *EXPRESSION_PARTS,
    *TEMPLATE_PARTS,
    *SCHEMA_PARTS,
    "\x00",
    "\u202e",
    "\t",
    "é",
    "9" * 400,
    "1e999",
)


def main() -> int:
    """Run cases until the time is over; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--child", action="store_true")
    given = parser.parse_args()
    if given.child:
        return run_child()
    seed = random.randrange(2**32) if given.seed is None else given.seed  # noqa: S311 - not for secrets
    return run_cases(seed, given.seconds)


def run_cases(seed: int, seconds: float) -> int:
    """Run mutated texts in children; print each failure and a summary."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    texts = read_sources()
    failures = count = 0
    slowest = 0.0
    child = Child()
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        text = mutate(chance, texts)
        started = time.monotonic()
        problem = child.run(text)
        slowest = max(slowest, time.monotonic() - started)
        count += 1
        if problem:
            failures += 1
            FOUND.mkdir(parents=True, exist_ok=True)
            path = FOUND / f"{seed}-{count}.yaml"
            path.write_text(text, encoding="utf-8", errors="surrogatepass")
            print(f"{path}: {problem}")
            child.end()
            child = Child()
    child.end()
    print(f"seed {seed}: {count} cases, slowest {slowest:.1f} s, {failures} failed")
    return 1 if failures else 0


def read_sources() -> list[str]:
    """Read the workflows and documents that are mutated."""
    folders = (ROOT / "workflows", ROOT / "tests" / "documents" / "ok", ROOT / "tests" / "documents" / "err")
    paths = sorted(path for folder in folders for path in folder.glob("*.yaml") if path.is_file())
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


def mutate(chance: random.Random, texts: list[str]) -> str:
    """Make one to four changes in one of the texts."""
    text = chance.choice(texts)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(text) + 1), chance.choice((0, 1, 5, 40))
        part = chance.choice(PARTS)
        match chance.randrange(6):
            case 0:
                new = part
            case 1:
                new = part * chance.choice((2, 10, 1000, 20_000))
            case 2:
                new = ""
            case 3:
                new = text[at : at + chance.choice((10, 100, 1000))] * chance.choice((2, 50))
            case 4:
                other = chance.choice(texts)
                start = chance.randrange(len(other) + 1)
                new = other[start : start + chance.choice((10, 200))]
            case _:
                new = chr(chance.randrange(1, 0x3000))
        text = (text[:at] + new + text[at + length :])[:MAX_TEXT]
    return text


class Child:
    """Child process that runs one case a line."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )

    def run(self, text: str) -> str:
        """Run one case; return what failed, or an empty text."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            return "the child has no pipes"
        process.stdin.write(json.dumps(text).encode() + b"\n")
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(CASE_SECONDS):
                return f"took longer than {CASE_SECONDS:g} s"
        line = process.stdout.readline()
        if not line:
            self._errors.seek(0)
            return f"the child ended with {process.wait()}: {self._errors.read()[-300:].decode(errors='replace')}"
        answer: dict[str, str] = json.loads(line)
        return answer["problem"]

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()


def run_child() -> int:
    """Check and step each text of standard input, and answer with what went wrong."""
    import resource  # noqa: PLC0415 - the parent runs without it

    from aurora.tools.runtime import Workspace  # noqa: PLC0415 - the parent does not need it

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as project:
        path = Path(folder) / ".aurora" / "workflows" / "fuzz.yaml"
        path.parent.mkdir(parents=True)
        for line in sys.stdin:
            problem = run_case(project, path, json.loads(line))
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            if not problem and used > RESIDENT_MEGABYTES:
                problem = f"used {used} MB"
            print(json.dumps({"problem": problem}), flush=True)
    return 0


def run_case(project: Any, path: Path, text: str) -> str:
    """Check a text and run its first phase; return the first error that is not a fault of the text."""
    from aurora.errors import Code, Fault  # noqa: PLC0415 - as above
    from aurora.tools.runtime import call_tool  # noqa: PLC0415 - as above

    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    for name, arguments in (
        ("workflow.validate", {"files": [str(path)]}),
        ("workflow.list", {}),
        ("workflow.step", {"phase": "assess", "workflow": "fuzz", "inputs": {"query": "Where is it?"}}),
    ):
        try:
            call_tool(project, name, arguments)
        except Fault as fault:
            if fault.code is Code.INTERNAL_ERROR:
                return f"{name}: {fault.message}: {fault.__cause__!r}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is found
            return f"{name}: {error!r}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
