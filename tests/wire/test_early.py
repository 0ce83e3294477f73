"""A server answers the handshake and the lists of the release before it is loaded, then the server itself goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

PATIENCE = 60.0
EARLY = ("tools/list", "resources/templates/list")
LATE = ("prompts/list", "resources/list")
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "hand", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
OWN_MODULES = ("aurora", "__editable__")
SERVER_ITSELF = {"AURORA_TOOLSETS": "core"}
"""The default tools, asked for by name: such a server answers nothing early."""
GATE = """\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: { what: { type: string } }
    person: { message: "Delete {{ what }}?", form: { sure: { type: boolean } }, on_decline: stop }
    next_action:
      - { when: answer.sure, then: act }
      - { then: stop }
  act: { prompt_template: Delete it., answer: { type: string }, next_action: end }
  stop: { prompt_template: Stop., answer: { type: string }, next_action: end }
"""
ODD_LINES = (
    b"\n",
    b"{not json\n",
    b"[]\n",
    b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"ping","params":[]}\n',
    b'{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":5}}\n',
    b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"long":"' + b"x" * 2_000_000 + b'"}}\n',
    b'\xff\xfe{"jsonrpc":"2.0","id":5,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":6,"method":"initialize","params":' + b"[" * 90_000 + b"\n",
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"no_such"}}\n',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n',
)


class Start(NamedTuple):
    """What one start wrote; `is_quick` where the server itself was not loaded."""

    answers: dict[Any, Any]
    modules: list[str]
    log: list[str]
    code: int

    @property
    def is_quick(self) -> bool:
        return "pydantic" not in self.modules


def request(identifier: Any, method: str, params: Any = None) -> dict[str, Any]:
    made = {"jsonrpc": "2.0", "id": identifier, "method": method}
    return made if params is None else {**made, "params": params}


def shake_hands(version: str = "2025-11-25", **capabilities: Any) -> list[dict[str, Any]]:
    client = {"name": "hand", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
    return [request("hello", "initialize", params), INITIALIZED]


def ask(mode: str, *methods: str, version: str = "2025-11-25") -> list[dict[str, Any]]:
    if mode == "legacy":
        return [*shake_hands(version), *(request(one, one) for one in (*methods, "ping"))]
    return [request(one, one, ENVELOPE) for one in ("server/discover", *methods)]


def search(identifier: Any, query: str = "CliRunner") -> dict[str, Any]:
    return request(identifier, "tools/call", {"name": "aurora_search", "arguments": {"query": query}})


def encode(line: Any) -> bytes:
    return line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"


def start(root: Path, *lines: Any, options: tuple[str, ...] = (), **environ: str) -> Start:
    """Start a server in a new interpreter, send these lines with the end of input, and wait for its end."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "aurora", "mcp", *options],
        cwd=root,
        input=b"".join(map(encode, lines)),
        capture_output=True,
        env={**os.environ, **environ},
        timeout=PATIENCE,
        check=False,
    )
    answers: dict[Any, Any] = {}
    for line in done.stdout.splitlines():
        found = json.loads(line)
        answers.setdefault(found.get("id"), []).append(found)
    timed = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
    log = [line for line in done.stderr.decode().splitlines() if not line.startswith("import time:")]
    return Start(answers, [line.rpartition("|")[2].strip() for line in timed], log, done.returncode)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "small" / ".git").mkdir(parents=True)
    return tmp_path / "small"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25", "1999-01-01"])
def test_the_answers_are_those_of_the_server_itself(root: Path, version: str) -> None:
    lines = ask("legacy", *EARLY, version=version)
    early = start(root, *lines)
    itself = start(root, *lines, **SERVER_ITSELF)
    assert (early.is_quick, itself.is_quick) == (True, False)
    assert early.answers == itself.answers
    assert (early.code, early.log) == (0, [])


def test_the_answers_of_the_stateless_era_are_those_of_the_server_itself(root: Path) -> None:
    lines = ask("auto", *EARLY)
    early = start(root, *lines)
    assert early.is_quick
    assert early.answers == start(root, *lines, **SERVER_ITSELF).answers


def test_only_the_standard_library_is_imported(root: Path, mode: str) -> None:
    modules = start(root, *ask(mode, *EARLY)).modules
    begun = modules.index("site")
    foreign = [
        name
        for name in modules[begun:]
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith(OWN_MODULES)
    ]
    assert foreign == []
    own = {name for name in modules if name.startswith("aurora.")}
    assert own == {"aurora.cli", "aurora.cli.entry", "aurora.early"}
    assert not {"pathlib", "typing", "dataclasses"} & set(modules[begun:])


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="tells the processor time of a process")
def test_the_tools_are_listed_within_100_ms_of_processor_time(project: Any) -> None:
    project.is_forked = False
    spent = []
    for _ in range(5):
        server = project.serve().shake_hands()
        server.send(request("tools", "tools/list"))
        server.answer("tools")
        tasks = Path(f"/proc/{server.process.pid}/task").glob("*/schedstat")
        spent.append(sum(int(task.read_text().split()[0]) for task in tasks) / 1e6)
    assert min(spent) < 100


def test_the_id_of_a_request_is_that_of_its_answer(root: Path, mode: str) -> None:
    lines = ask(mode, *EARLY)
    for number, line in enumerate(line for line in lines if "id" in line):
        line["id"] = number if number % 2 else f"request {number}"
    found = start(root, *lines)
    assert found.is_quick
    assert set(found.answers) == {line["id"] for line in lines if "id" in line}


@pytest.mark.parametrize(
    "how", [{"options": ("--toolsets", "runs")}, {"READ_ONLY": "1"}, {"options": ("--read-only",)}]
)
def test_a_server_with_other_tools_or_options_answers_everything_itself(root: Path, how: dict[str, Any]) -> None:
    lines = ask("legacy", "tools/list")
    found = start(root, *lines, **how)
    assert not found.is_quick
    assert found.answers["tools/list"] != start(root, *lines).answers["tools/list"]


def test_a_project_is_named_in_the_command_line(root: Path, tmp_path: Path) -> None:
    lines = ask("legacy", "tools/list")
    assert start(tmp_path, *lines, options=("--project", str(root))).is_quick
    missing = start(tmp_path, *lines, options=("--project", str(root / "no_such")))
    assert (missing.answers, missing.code) == ({}, 1)


@pytest.mark.parametrize("is_first", [False, True])
def test_other_lines_are_answered_as_by_the_server_itself(root: Path, *, is_first: bool) -> None:
    lists = ask("legacy", *EARLY)
    lines = [*ODD_LINES, *lists] if is_first else [*lists, *ODD_LINES]
    found, itself = start(root, *lines), start(root, *lines, **SERVER_ITSELF)
    for one in (found, itself):
        one.answers[None].sort(key=json.dumps)
    assert found.answers == itself.answers
    assert found.code == itself.code


def test_a_second_handshake_is_judged_by_the_server(root: Path) -> None:
    second = shake_hands("2025-06-18")[0] | {"id": "second"}
    lines = [*shake_hands(), second, request(1, "tools/list")]
    assert start(root, *lines).answers == start(root, *lines, **SERVER_ITSELF).answers


def test_a_last_line_without_its_end_is_answered(root: Path, mode: str) -> None:
    *lines, last = ask(mode, *EARLY)
    found = start(root, *lines, json.dumps(last).encode())
    assert len(found.answers) == len([line for line in ask(mode, *EARLY) if "id" in line])


def test_an_input_that_ends_at_once_ends_the_server(root: Path) -> None:
    found = start(root)
    assert (found.answers, found.code, found.log, found.is_quick) == ({}, 0, [], True)


def test_a_closed_output_ends_the_server_silently(project: Any) -> None:
    project.is_forked = False
    server = project.serve()
    server.process.stdout.close()
    server.process.stdin.write(b"".join(map(encode, ask("legacy", *EARLY))))
    server.process.stdin.flush()
    assert server.process.wait(30) == 0
    assert server.log.read_text() == ""


# ── the server goes on ──


@pytest.fixture
def serve(project: Any) -> Any:
    """Starts a server in a new interpreter, and sends it lines at once."""
    project.is_forked = False

    def begin(*lines: Any) -> Any:
        server = project.serve()
        for line in lines:
            server.send(line)
        return server

    return begin


def hello(**capabilities: Any) -> list[Any]:
    return [*shake_hands(**capabilities), request("tools/list", "tools/list")]


def test_lists_of_the_release_do_not_wait_for_what_the_server_answers(serve: Any) -> None:
    server = serve(*hello(), search(1), request(2, "prompts/list"), request(3, "resources/templates/list"))
    order = [server.receive()["id"] for _ in range(5)]
    assert order[:3] == ["hello", "tools/list", 3]
    assert set(order[3:]) == {1, 2}
    server.send(search(4, "Context.invoke"))
    assert server.answer(4)["result"]["structuredContent"]["hits"]
    assert server.close() == 0


def test_lines_that_arrive_in_pieces_while_the_server_is_loaded_are_read_whole(serve: Any) -> None:
    server = serve(*hello(), search(0))
    lines = b"".join(encode(search(number)) for number in range(1, 6))
    for begin in range(0, len(lines), 7):
        server.process.stdin.write(lines[begin : begin + 7])
        server.process.stdin.flush()
        time.sleep(0.005)  # the pieces arrive before, during and after the server takes over
    assert {server.receive()["id"] for _ in range(8)} == {"hello", "tools/list", *range(6)}
    assert server.close() == 0


def test_a_call_that_the_host_cancels_while_the_server_is_loaded_is_not_answered(serve: Any) -> None:
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    server = serve(*hello(), search(1), cancel, search(2))
    assert [server.receive()["id"] for _ in range(3)] == ["hello", "tools/list", 2]
    assert server.close() == 0


def test_the_server_knows_what_the_host_declared_before_it_was_loaded(serve: Any, project: Any) -> None:
    project.write(".aurora/workflows/gate.yaml", GATE)
    server = serve(*hello(elicitation={}))
    server.call("ask", "aurora_query", {"phase": "ask", "workflow": "gate", "what": "all"})
    while (asked := server.receive()).get("method") != "elicitation/create":
        assert "method" in asked or asked["id"] in {"hello", "tools/list"}
    server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
    assert server.answer("ask")["result"]["structuredContent"]["prompt_template"] == "Stop."
    assert server.close() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_silently_while_it_answers_and_while_the_server_is_loaded(
    serve: Any, number: signal.Signals
) -> None:
    for lines in (shake_hands(), [*hello(), search(1)]):
        server = serve(*lines)
        server.answer("hello")
        server.process.send_signal(number)
        assert server.process.wait(30) == 0
        assert server.log.read_text() == ""


def test_what_waits_at_the_end_of_input_is_answered_first(serve: Any) -> None:
    server = serve(*hello(), search(1))
    server.end_input()
    assert server.answer(1)["result"]["structuredContent"]["hits"]
    assert server.process.wait(30) == 0
