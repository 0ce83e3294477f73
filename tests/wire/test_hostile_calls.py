"""While a hostile text is being worked on, other requests are answered; a stopped call has stopped working."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Project

IDLE_SECONDS = 2.0
HEAD = "aurora: 1\nname: hostile\nversion: '1'\nstart: p0\nphases:\n"


def conditions() -> str:
    """Phases of ninety-nine rules over forty switches, near the limit of a file: seconds of work on any machine."""
    switches = ", ".join(f"b{number}: {{type: boolean}}" for number in range(40))
    tests = (
        " && ".join(f"inputs.b{bit} == `{'true' if number >> bit & 1 else 'false'}`" for bit in range(12))
        for number in range(99)
    )
    rules = "".join(f'      - {{when: "{test}", then: end}}\n' for test in tests)
    names = range(30)
    return HEAD + "".join(f"  p{name}:\n    inputs: {{{switches}}}\n    next_action:\n{rules}" for name in names)


def phases() -> str:
    """Two thousand phases, each with several problems."""
    return HEAD + "".join(
        f"  p{number}: {{uses: toool{number}, with: {{a{number}: inputs.x}}, next_action: q{number}}}\n"
        for number in range(2000)
    )


TEXTS = {
    "conditions": conditions,
    "phases": phases,
    "a list": lambda: f"k: [{'1,' * 400_000}1]",
    "unclosed braces": lambda: "k: [@ " + "{{" * 400_000,
    "anchors": lambda: "".join(f"k{number}: &a{number} 1\n" for number in range(9_000)),
}


def call_validate(identifier: str, text: str) -> dict[str, Any]:
    params = {"name": "aurora_workflow_validate", "arguments": {"text": text}}
    return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}


def test_other_requests_are_answered_before_the_hostile_one(project: Project) -> None:
    server = project.serve("--toolsets", "workflow", AURORA_TIMEOUT="20").shake_hands()
    server.send({"jsonrpc": "2.0", "id": "first", "method": "tools/list"})
    server.answer("first")

    for name, build in TEXTS.items():
        server.send(call_validate(name, build()))
    for method in ("ping", "tools/list", "ping"):
        server.send({"jsonrpc": "2.0", "id": f"other {method}", "method": method})
    answered = [server.receive().get("id") for _ in range(3)]

    assert answered.count("other ping") == 2
    assert "other tools/list" in answered
    for name in TEXTS:
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": name}})


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of another process is read from /proc")
def test_a_call_that_timed_out_has_stopped_working(project: Project) -> None:
    project.is_forked = False
    server = project.serve("--toolsets", "workflow", AURORA_TIMEOUT="0.25").shake_hands()
    wait_until_idle(server.process.pid)  # it reads ahead after its start

    server.send(call_validate("conditions", conditions()))
    found = server.answer("conditions")

    assert found["result"]["structuredContent"]["error"]["code"] == "TIMEOUT"
    used = processor_seconds(server.process.pid)
    with pytest.raises(subprocess.TimeoutExpired):  # it lives on, and does nothing
        server.process.wait(IDLE_SECONDS)
    assert processor_seconds(server.process.pid) - used < IDLE_SECONDS / 2


def wait_until_idle(process: int) -> None:
    """Wait until a process takes no time of the processor in two seconds."""
    before = -1.0
    for _ in range(30):
        if (used := processor_seconds(process)) - before < IDLE_SECONDS / 20:
            return
        before = used
        time.sleep(IDLE_SECONDS)
    raise AssertionError("the server never rests")


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
