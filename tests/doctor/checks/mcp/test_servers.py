"""Servers that are started for real and are not as they should be; each is a small program of its own."""

from __future__ import annotations

import json
import os
import select
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from aurora.doctor.servers import check_handshake, check_stateless, list_launch_commands

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.doctor import DoctorContext

SPEAKS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {}}), flush=True)
    if asked["method"] == "tools/list":
        meta = asked.get("params", {}).get("_meta", {})
        new = "io.modelcontextprotocol/protocolVersion" in meta
        said = {"error": {"code": -32600, "message": "shake hands"}} if new else {"result": {"tools": TOOLS}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"""
THREE = ["aurora_query", "aurora_search", "aurora_get"]


@pytest.fixture
def serve(bare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let Claude Code start the program `aur` on PATH, which is this script."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'own'}{os.pathsep}{os.environ['PATH']}")

    def use(script: str, interpreter: str = sys.executable) -> None:
        program = tmp_path / "own" / "aur"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!{interpreter}\n{script}", encoding="utf-8")
        program.chmod(0o755)
        bare.write(".mcp.json", json.dumps({"mcpServers": {"aurora": {"command": str(program), "args": ["mcp"]}}}))

    return use


def offering(*names: str) -> str:
    return SPEAKS.replace("TOOLS", repr([{"name": name} for name in names]))


SHOWN = {
    "mcp.server.fails",
    "mcp.server.foreign",
    "mcp.server.lacks",
    "mcp.server.more",
    "mcp.stateless.fails",
}
"""Codes of the findings that the tests below produce."""


def told(findings: Any, kind: str = "") -> tuple[str, str]:
    (one,) = findings
    assert one.kind == kind
    assert not kind or kind in SHOWN
    return one.status.value, one.message


def test_a_server_of_the_old_era_fails_for_new_assistants_and_serves_the_others(
    serve: Any, context: DoctorContext
) -> None:
    serve(offering(*THREE))
    assert told(check_handshake(context))[0] == "pass"
    status, message = told(check_stateless(context), "mcp.stateless.fails")
    assert status == "fail"
    assert "does not answer without a handshake" in message


@pytest.mark.requirement("prd-19")
def test_a_server_that_lacks_a_tool_fails(serve: Any, context: DoctorContext) -> None:
    serve(offering("aurora_query", "aurora_search"))
    status, message = told(check_handshake(context), "mcp.server.lacks")
    assert status == "fail"
    assert "does not offer aurora_get" in message


@pytest.mark.requirement("prd-49")
def test_more_tools_than_the_default_three_are_a_warning(serve: Any, context: DoctorContext) -> None:
    serve(offering(*THREE, "aurora_tea"))
    status, message = told(check_handshake(context), "mcp.server.more")
    assert status == "warn"
    assert "offers more than the three: aurora_tea, for Claude Code" in message


def test_the_last_line_of_a_server_is_reported(serve: Any, context: DoctorContext) -> None:
    serve("import sys; sys.exit('no module named tea')")
    status, message = told(check_handshake(context), "mcp.server.fails")
    assert status == "fail"
    assert 'it ended without listing its tools: "no module named tea"' in message


def test_a_silent_server_times_out_and_its_processes_are_stopped(
    serve: Any, context: DoctorContext, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "held")
    reader = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    serve(f"sleep 1000 > {tmp_path}/held & wait\n", "/bin/sh")
    status, message = told(check_handshake(replace(context, patience=1.0)), "mcp.server.fails")
    assert status == "fail"
    assert "it did not list its tools within 1 s" in message
    assert select.select([reader], [], [], 30)[0], "what it started still holds the pipe"
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_each_way_to_start_a_server_is_tried_once(bare: Any, context: DoctorContext) -> None:
    entry = {"command": "aur", "args": ["mcp"]}
    bare.write(".mcp.json", json.dumps({"mcpServers": {"aurora": entry}}))
    bare.write(".cursor/mcp.json", json.dumps({"mcpServers": {"aurora": entry}}))
    more = {**entry, "args": ["mcp", "--toolsets", "graph"]}
    bare.write(".gemini/settings.json", json.dumps({"mcpServers": {"aurora": more}}))
    found = [(one.status.value, one.message) for one in check_handshake(context)]
    assert [status for status, _ in found] == ["pass", "pass"]
    assert found[0][1].endswith("aurora_query, aurora_search, aurora_get, for Claude Code, Cursor")
    assert "more as requested, for Gemini CLI" in found[1][1]


def test_where_no_assistant_names_a_server_this_installation_s_own_is_started(context: DoctorContext) -> None:
    status, message = told(check_stateless(context))
    assert status == "pass"
    assert "answers with and without a handshake" in message


FOREIGN = {
    "a shell": {"command": "sh", "args": ["-c", "touch {mark}", "aur", "mcp"]},
    "a program of the project": {"command": "./aur", "args": ["mcp"]},
    "a Python of the project": {"command": "{root}/.venv/bin/python", "args": ["-P", "-m", "aurora", "mcp"]},
    "a link to this Python in the project": {"command": "{root}/linked/python", "args": ["-P", "-m", "aurora", "mcp"]},
    "another program of the name": {"command": "{elsewhere}/aur", "args": ["mcp"]},
    "Python from its folder": {"command": sys.executable, "args": ["-m", "aurora", "mcp"]},
    "another command of Aurora": {"command": "aur", "args": ["workflow", "run", "mcp"]},
}


@pytest.mark.parametrize("entry", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("place", [".mcp.json", ".cursor/mcp.json"])
def test_a_program_that_a_clone_names_is_not_started(
    bare: Any, context: DoctorContext, tmp_path: Path, entry: dict[str, Any], place: str
) -> None:
    mark = tmp_path / "was-run"
    script = f"#!/bin/sh\ntouch {mark}\n"
    for program in (bare.root / "aur", bare.root / ".venv/bin/python", tmp_path / "elsewhere/aur"):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)
    (bare.root / "linked").mkdir()
    (bare.root / "linked/python").symlink_to(sys.executable)
    (bare.root / "linked/pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    text = json.dumps({"mcpServers": {"aurora": entry}}).replace("{mark}", str(mark))
    text = text.replace("{root}", str(bare.root)).replace("{elsewhere}", str(tmp_path / "elsewhere"))
    bare.write(place, text)

    status, message = told(check_handshake(context), "mcp.server.foreign")

    assert (status, message.startswith(f"{place}: `"), "was not started" in message) == ("warn", True, True)
    assert list(check_stateless(context)) == []
    assert not mark.exists()


def test_a_program_in_the_person_s_own_file_is_started(bare: Any, context: DoctorContext, tmp_path: Path) -> None:
    program = tmp_path / "elsewhere" / "aur"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{offering(*THREE)}", encoding="utf-8")
    program.chmod(0o755)
    entry = {"command": str(program), "args": ["mcp", "--project", str(bare.root)]}
    path = bare.home / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"aurora": entry}}), encoding="utf-8")

    assert told(check_handshake(context))[0] == "pass"


def test_a_clone_sets_no_variable_of_the_server_but_the_toolsets(serve: Any, bare: Any, context: DoctorContext) -> None:
    serve(offering(*THREE))
    entry = json.loads((bare.root / ".mcp.json").read_text(encoding="utf-8"))
    entry["mcpServers"]["aurora"]["env"] = {"PYTHONPATH": "evil", "AURORA_LOG_FILE": "evil", "AURORA_TOOLSETS": "graph"}
    bare.write(".mcp.json", json.dumps(entry))

    (launch,) = list_launch_commands(context)

    assert launch.environ == (("AURORA_TOOLSETS", "graph"),)
    assert told(check_handshake(context))[0] == "pass"
