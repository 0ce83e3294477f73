"""Latency of `ping` while a hostile call runs, and the work that continues after its answer.

For each call the real server is sent a ping every 20 ms until the call is answered. The table has the seconds of the
call, the median and the maximum of the pings, and the processor time of the server in the half second after the answer.
`python bench/latency.py [WORD ...]` measures the calls whose names contain one of the words.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds of one call; each ends long before."""
TIMEOUT = "10"
"""`AURORA_TIMEOUT` of the server: the calls that work for longer are stopped."""
MAX_PING = 0.5
HEAD = "aurora: 1\nname: {name}\nversion: 1.0.0\nstart: one\nphases:\n  one:\n"

WORKFLOWS = {
    "cpu": ("", "{% for i in range(9000) %}{{ range(90000)|sort|length }}{% endfor %}", "end"),
    "space": ("", "{{ range(90000)|join('b'*90000)|length }}", "end"),
    "json": ("{ v: { type: array } }", "{{ v|tojson|length }}", "end"),
    "text": ("{ v: { type: array } }", "{{ v|lower }}", "end"),
    "expression": (
        "{ v: { type: array } }",
        "x",
        '\n      - when: "length(inputs.v[].[@,@][].[@,@][].[@,@][]) > `1`"\n        then: end\n      - then: end',
    ),
    "branches": ("{ v: { type: array, items: { anyOf: [{ type: string }, { type: 'null' }] } } }", "x", "end"),
    "pattern": ("{ v: { type: array, items: { type: string, pattern: '(ab?c?d?){1000}' } } }", "x", "end"),
}
"""Name: the inputs, the template and the next action of a workflow of one phase."""


def make_conditions() -> str:
    """Make 15 phases of 99 rules over 40 switches."""
    switches = ", ".join(f"b{number}: {{type: boolean}}" for number in range(40))
    rules = ""
    for number in range(99):
        test = " && ".join(f"inputs.b{bit} == `{'true' if number >> bit & 1 else 'false'}`" for bit in range(12))
        rules += f'      - {{when: "{test}", then: end}}\n'
    phase = f"    inputs: {{{switches}}}\n    next_action:\n{rules}"
    return HEAD.format(name="hostile") + phase + "".join(f"  p{number}:\n{phase}" for number in range(14))


def make_phases() -> str:
    """Make 2,000 phases with several problems each."""
    names = range(2000)
    return HEAD.format(name="hostile") + "".join(
        f"  p{name}: {{uses: toool{name}, with: {{a{name}: inputs.x}}, next_action: q{name}}}\n" for name in names
    )


def step_phase(name: str, value: Any = None) -> tuple[str, dict[str, Any]]:
    """Make a call that runs the phase of a workflow."""
    return "aurora_query", {"workflow": name, "phase": "one"} | ({} if value is None else {"v": value})


def validate_text(text: str) -> tuple[str, dict[str, Any]]:
    """Make a call that checks a workflow."""
    return "aurora_workflow_validate", {"text": text}


CALLS = {
    "template that never ends": step_phase("cpu"),
    "template that fills the memory": step_phase("space"),
    "template over 800 kB": step_phase("json", ["x" * 90] * 9_000),
    "template that prints 80,000 values": step_phase("text", list(range(80_000))),
    "expression that doubles a list": step_phase("expression", list(range(80_000))),
    "schema with 80,000 errors": step_phase("branches", [1] * 80_000),
    "pattern over 720 kB": step_phase("pattern", ["abcd" * 600] * 300),
    "YAML: 15 times 99 rules over 40 switches": validate_text(make_conditions()),
    "YAML: 2,000 wrong phases": validate_text(make_phases()),
    "YAML: a list of 90,000": validate_text(f"k: [{'1,' * 90_000}1]"),
    "YAML: unclosed braces": validate_text("k: [@ " + "{{" * 45_000),
    "YAML: 9,000 anchors": validate_text("".join(f"k{number}: &a{number} 1\n" for number in range(9_000))),
    "YAML: a text of 900 kB": validate_text("k: '" + "x" * 900_000 + "'"),
    "index of 300 files": ("aurora_mem_index", {}),
    "search with 6,000 words": ("aurora_search", {"query": "brew coffee " * 3_000}),
    "search": ("aurora_search", {"query": "coffee f3_2"}),
}


def main() -> int:
    """Print the table; return 1 if a ping took longer than `MAX_PING`."""
    is_slow = False
    with tempfile.TemporaryDirectory(prefix="aurora-latency-") as folder:
        write_project(Path(folder))
        server = Server(folder)
        print("| call | seconds | ping p50 ms | ping max ms | CPU s after | outcome |\n|---|---|---|---|---|---|")
        for name, (tool, arguments) in CALLS.items():
            if len(sys.argv) > 1 and not any(word in name for word in sys.argv[1:]):
                continue
            started = time.monotonic()
            pings, response = server.ping_during(name, tool, arguments)
            seconds = time.monotonic() - started
            is_slow |= max(pings) > MAX_PING
            median, most = (round(1000 * value) for value in (statistics.median(pings), max(pings)))
            after, outcome = server.measure_rest(), describe_outcome(response)
            print(
                f"| {name} | {seconds:.1f} | {median} | {most} | {after:.2f} | {outcome} |",
                flush=True,
            )
        server.close()
    return 1 if is_slow else 0


def write_project(root: Path) -> None:
    """Write the workflows, and files to index."""
    folder = root / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    for name, (inputs, template, following) in WORKFLOWS.items():
        given = f"    inputs: {inputs}\n" if inputs else ""
        body = f"    prompt_template: {name}.md\n    answer: {{}}\n    next_action: {following}\n"
        (folder / f"{name}.yaml").write_text(HEAD.format(name=name) + given + body, encoding="utf-8")
        (folder / f"{name}.md").write_text(template, encoding="utf-8")
    for number in range(300):
        functions = (f"def f{number}_{each}(a):\n    '''Brew coffee.'''\n    return a\n\n" for each in range(40))
        (root / f"m{number}.py").write_text("".join(functions), encoding="utf-8")


def describe_outcome(response: dict[str, Any]) -> str:
    """Return the status, or the code and the message of the error."""
    found = response.get("error") or response["result"].get("structuredContent") or {}
    fault = found.get("error") or found
    return str(f"{fault['code']}: {fault['message'][-70:]}" if "message" in fault else "complete").replace("|", "/")


class Server:
    """The server's process, and a thread that notes when each response arrives."""

    def __init__(self, folder: str) -> None:
        environ = {**os.environ, "AURORA_TRUST": "1", "AURORA_TIMEOUT": TIMEOUT}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "aurora", "mcp", "--toolsets", "all"],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._responses: dict[str, tuple[float, dict[str, Any]]] = {}
        self._arrived = threading.Condition()
        threading.Thread(target=self._read_responses, daemon=True).start()
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._send("hello", "initialize", client)
        self._wait("hello")
        self._send(None, "notifications/initialized", {})

    def list_tools(self) -> None:
        """List the tools, as a host does first."""
        self._send("list", "tools/list", {})
        self._wait("list")

    def ping_during(self, name: str, tool: str, arguments: dict[str, Any]) -> tuple[list[float], dict[str, Any]]:
        """Return the seconds of each ping, and the response to the call."""
        self._send(name, "tools/call", {"name": tool, "arguments": arguments})
        seconds: list[float] = []
        while name not in self._responses:
            identifier, started = f"{name} {len(seconds)}", time.monotonic()
            self._send(identifier, "ping", {})
            seconds.append(self._wait(identifier)[0] - started)
            time.sleep(0.02)
        return seconds, self._wait(name)[1]

    def measure_rest(self) -> float:
        """Return the processor time of the server and its children that the next half second takes."""
        before = self.read_cpu_seconds()
        time.sleep(0.5)
        return self.read_cpu_seconds() - before

    def close(self) -> None:
        """End its input and wait."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(PATIENCE)

    def call(self, name: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool, and return the response."""
        self._send(name, "tools/call", {"name": tool, "arguments": arguments})
        return self._wait(name)[1]

    def read_cpu_seconds(self) -> float:
        """Return the processor time of the server and of its ended children."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def _send(self, identifier: str | None, method: str, params: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": identifier} if identifier else {})
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _wait(self, identifier: str) -> tuple[float, dict[str, Any]]:
        with self._arrived:
            if not self._arrived.wait_for(lambda: identifier in self._responses, PATIENCE):
                raise TimeoutError(identifier)
            return self._responses[identifier]

    def _read_responses(self) -> None:
        for line in self._process.stdout or ():
            message = json.loads(line)
            with self._arrived:
                self._responses[str(message.get("id"))] = time.monotonic(), message
                self._arrived.notify_all()


if __name__ == "__main__":
    sys.exit(main())
