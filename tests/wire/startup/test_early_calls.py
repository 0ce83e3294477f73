"""First calls are answered before the protocol's library is loaded, with the bytes that the server itself writes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

GATED_SERVER = """\
import os, sys
class Gate:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp":
            open(os.environ["GATE"]).close()  # a pipe with a name: until the test opens its other end
sys.meta_path.insert(0, Gate())
from aurora.cli.entry import main
sys.exit(main())
"""
PATIENCE = 60.0
OPEN = os.devnull
OWN_SOAR = """\
aurora: 1
name: soar
version: 9.9.9
start: brew
phases:
  brew: { inputs: { query: { type: string } }, next_action: end }
"""
CHANGING = re.compile(rb'((?:run|request_id)\\?":\\?"|duration_ms\\?":)[a-z0-9.]+')
CALLS = (
    ("aurora_search", {"query": "CliRunner"}),
    ("aurora_search", {"query": "Wörter \u2028 \x7f \x1b[31m 😀", "limit": 2}),
    ("aurora_search", {"query": "CliRunner", "limit": "many"}),
    ("aurora_search", {"words": "CliRunner"}),
    ("aurora_search", {}),
    ("aurora_query", {"query": "What does CliRunner do?"}),
    ("aurora_query", {"phase": "assess", "query": "Redesign the parser and all the tests", "detail": "full"}),
    ("aurora_query", {"phase": "assess"}),
    ("aurora_query", {"phase": "no_such", "query": "x"}),
    ("aurora_query", {"phase": "assess", "query": ""}),
)


@dataclass
class Gated:
    """Servers that load the protocol's library only when they are let."""

    root: Path
    folder: Path
    starts: Any
    mode: str
    client: str = "hand"
    version: str = "2025-11-25"

    def serve(self, gate: str, *lines: Any, options: tuple[str, ...] = (), **environ: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", GATED_SERVER, "mcp", *options],  # without the modules of the project
            cwd=self.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "caches"), "GATE": gate, **environ},
        )
        self.send(process, *lines)
        return process

    @staticmethod
    def send(process: subprocess.Popen[bytes], *lines: Any) -> None:
        assert process.stdin is not None
        process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        process.stdin.flush()

    @staticmethod
    def read(process: subprocess.Popen[bytes], *identifiers: Any) -> dict[Any, bytes]:
        """Read until these requests are answered."""
        assert process.stdout is not None
        found: dict[Any, bytes] = {}
        while not found.keys() >= set(identifiers):
            line = process.stdout.readline()
            assert line, "the server ended"
            found[json.loads(line).get("id")] = line
        return found

    @staticmethod
    def end(process: subprocess.Popen[bytes]) -> None:
        process.communicate(timeout=60)
        assert process.returncode == 0

    def make_gate(self) -> str:
        gate = self.folder / "gate"
        os.mkfifo(gate)
        return str(gate)

    @staticmethod
    def open_gate(gate: str) -> None:
        with Path(gate).open("wb"):  # waits until the server has come to it
            pass

    def hello(self) -> list[Any]:
        if self.mode == "legacy":
            first, *others = self.starts.shake_hands(self.version, elicitation={})
            first["params"]["clientInfo"]["name"] = self.client
            return [first, *others, self.starts.make_request("tools/list", "tools/list")]
        return [self.starts.make_request(one, one, self.envelope()) for one in ("server/discover", "tools/list")]

    def envelope(self) -> dict[str, Any]:
        meta = self.starts.ENVELOPE["_meta"]
        return {"_meta": {**meta, "io.modelcontextprotocol/clientInfo": {"name": self.client, "version": "1"}}}

    def call(self, identifier: Any, tool: str, arguments: Any, **meta: Any) -> Any:
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        meta = {**(self.envelope()["_meta"] if self.mode == "auto" else {}), **meta}
        if meta:
            params["_meta"] = meta
        return self.starts.make_request(identifier, "tools/call", params)

    def keep_answers(self, **how: Any) -> None:
        """Start once, so that the next start answers from a cache."""
        process = self.serve(OPEN, *self.hello(), **how)
        self.read(process, "tools/list")
        deadline = time.monotonic() + PATIENCE
        while not list((self.folder / "caches").rglob("start/*.json")):  # written when the server is quiet
            assert time.monotonic() < deadline
            time.sleep(0.02)
        self.end(process)

    def forget_answers(self) -> None:
        for path in (self.folder / "caches").rglob("start/*.json"):
            path.unlink()


@pytest.fixture
def gated(project: Any, starts: Any, mode: str, tmp_path: Path) -> Gated:
    return Gated(project.root, tmp_path, starts, mode)


def compare(gated: Gated, calls: list[Any], second: Path | None = None, **how: Any) -> None:
    """The calls are answered behind the gate, and as a server without a cache answers them, maybe in a copy."""
    names = [call["id"] for call in calls]
    gated.keep_answers(**how)
    gate = gated.make_gate()
    process = gated.serve(gate, *gated.hello(), *calls, **how)
    early = gated.read(process, *names)
    gated.open_gate(gate)
    gated.send(process, gated.call("later", "aurora_get", {"path": "README.md"}))
    assert b"pip install click" in gated.read(process, "later")["later"]
    gated.end(process)
    gated.forget_answers()
    gated.root = second or gated.root
    process = gated.serve(OPEN, *gated.hello(), *calls, **how)
    own = gated.read(process, *names)
    gated.end(process)
    for name in names:
        assert CHANGING.sub(rb"\1", early[name]).decode() == CHANGING.sub(rb"\1", own[name]).decode()


@pytest.mark.requirement("prd-62")
def test_first_calls_have_the_bytes_of_the_server(gated: Gated) -> None:
    calls = [gated.call(number, tool, arguments) for number, (tool, arguments) in enumerate(CALLS)]
    compare(gated, calls, options=("--read-only",), AURORA_WATCH="0")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18"])
def test_a_first_step_that_begins_a_run_has_the_bytes_of_the_server(gated: Gated, version: str) -> None:
    gated.version = version
    copy = gated.folder / "copy"
    shutil.copytree(gated.root, copy)  # in the project itself a second server would tell of the first one's run
    compare(gated, [gated.call("step", "aurora_query", {"query": "What does CliRunner do?"})], copy)


@pytest.mark.requirement("prd-62")
@pytest.mark.parametrize("options", [(), ("--read-only",)])
def test_the_second_step_of_a_simple_question_has_the_bytes_of_the_server(
    gated: Gated, options: tuple[str, ...]
) -> None:
    gated.keep_answers(options=options, AURORA_WATCH="0")
    gate = gated.make_gate()
    process = gated.serve(gate, *gated.hello(), options=options, AURORA_WATCH="0")
    early = ask_simple_question(gated, process)
    gated.open_gate(gate)
    gated.send(process, gated.call("later", "aurora_get", {"path": "README.md"}))
    assert b"pip install click" in gated.read(process, "later")["later"]
    gated.end(process)
    whole = gated.call(0, "aurora_get", {"path": "README.md"})
    process = gated.serve(OPEN, *gated.hello(), whole, options=options, AURORA_WATCH="0")
    gated.read(process, 0)  # so that the server itself answers what follows
    own = ask_simple_question(gated, process)
    gated.end(process)
    for one, other in zip(early, own, strict=True):
        assert CHANGING.sub(rb"\1", one).decode() == CHANGING.sub(rb"\1", other).decode()


def ask_simple_question(gated: Gated, process: subprocess.Popen[bytes]) -> list[bytes]:
    """Both answers to a simple question."""
    gated.send(process, gated.call("first", "aurora_query", {"query": "What does CliRunner do?"}))
    first = gated.read(process, "first")["first"]
    following = json.loads(json.loads(first)["result"]["content"][0]["text"])["next_call"]["arguments"]
    gated.send(process, gated.call("second", "aurora_query", following))
    second = gated.read(process, "second")["second"]
    assert json.loads(json.loads(second)["result"]["content"][0]["text"])["phase"] == "retrieve"
    return [first, second]


def test_a_host_that_shows_text_and_structure_has_the_text_only(gated: Gated) -> None:
    gated.client = "@cline/core"
    compare(gated, [gated.call("one", "aurora_search", {"query": "CliRunner"})], options=("--read-only",))


def test_a_progress_token_and_the_metadata_of_a_host_change_nothing(gated: Gated) -> None:
    meta = {"progressToken": 7, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    if gated.mode == "legacy":
        meta["claudecode/toolUseId"] = "toolu_01"
        meta["x-codex-turn-metadata"] = {"model": "m", "workspaces": {"/shop": {"remotes": ["a", None], "dirty": 0.5}}}
    calls = [gated.call(number, *CALLS[number], **meta) for number in (0, 5)]
    compare(gated, calls, options=("--read-only",))


def test_the_own_workflow_of_a_trusted_project_is_run_by_the_server(gated: Gated, project: Any) -> None:
    project.write(".aurora/workflows/soar.yaml", OWN_SOAR)
    gated.keep_answers()
    process = gated.serve(OPEN, *gated.hello(), gated.call(1, "aurora_query", {"query": "x"}))
    assert b"soar@9.9.9" in gated.read(process, 1)[1]
    gated.end(process)


def test_calls_behind_one_that_waits_for_the_server_are_answered_by_it(gated: Gated) -> None:
    gated.keep_answers()
    gate = gated.make_gate()
    other = gated.call("get", "aurora_get", {"path": "README.md"})
    calls = [gated.call(number, "aurora_search", {"query": "CliRunner"}) for number in range(3)]
    process = gated.serve(gate, *gated.hello(), other, *calls)
    gated.open_gate(gate)
    found = gated.read(process, "get", 0, 1, 2)
    assert all(b'"isError":false' in found[name] for name in ("get", 0, 1, 2))
    gated.end(process)


def test_the_end_of_input_behind_a_first_call_ends_the_server_with_its_answer(gated: Gated) -> None:
    gated.keep_answers()
    process = gated.serve(OPEN, *gated.hello(), gated.call(1, "aurora_search", {"query": "CliRunner"}))
    output, _ = process.communicate(timeout=60)
    assert [json.loads(line)["id"] for line in output.splitlines()][-1] == 1
    assert process.returncode == 0
