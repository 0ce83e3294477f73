"""The status of a host is read from its files, and a server is probed by starting it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.hosts import (
    DEFAULT_TOOLS,
    UserPaths,
    find_evidence,
    find_used_hosts,
    get_hosts,
    list_server_tools,
    read_host_states,
)
from aurora.hosts.registry import HOSTS
from aurora.hosts.status import read_host_state

if TYPE_CHECKING:
    from pathlib import Path

BY_NAME = {host.name: host for host in HOSTS}
CLAUDE = BY_NAME["claude-code"]
REAL = [sys.executable, "-m", "aurora", "mcp"]


def write(root: Path, entry: Any) -> None:
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {"aurora": entry}}), encoding="utf-8")


@pytest.mark.parametrize(
    ("entry", "status", "said"),
    [
        ({"command": "aur", "args": ["mcp"]}, "connected", ""),
        ({"command": "aur", "args": ["mcp", "--toolsets", "all"]}, "connected", ""),
        ({"command": "uvx", "args": ["--from", "x", "aur", "mcp"]}, "stale", '"uvx", which is not an executable'),
        ({"command": "/gone/bin/aur", "args": ["mcp"]}, "stale", '"/gone/bin/aur", which is not an executable'),
        ({"command": "bin/aur", "args": ["mcp"]}, "stale", '"bin/aur", which is not an executable'),
        ({"command": "aur", "args": ["mcp", "--project", "/other"]}, "taken", "starts Aurora for another project"),
        ({"command": "\ud800", "args": ["aur", "mcp"]}, "stale", '"?", which is not an executable'),
        ({"command": "borealis"}, "taken", 'starts another program, "borealis"'),
        ({}, "incomplete", "names no program to start"),
        ({"command": 3, "args": "mcp"}, "incomplete", "names no program to start"),
        ("aur mcp", "incomplete", "names no program to start"),
    ],
)
def test_the_status_of_an_entry_follows_from_the_program_it_starts(
    entry: Any, status: str, said: str, root: Path, person: UserPaths
) -> None:
    write(root, entry)
    found = read_host_state(CLAUDE, root, person, "project")
    assert (found.status, found.file) == (status, ".mcp.json")
    assert said in found.message


def test_a_missing_required_field_is_reported(root: Path, person: UserPaths) -> None:
    (root / ".vscode").mkdir()
    entry = {"command": "aur", "args": ["mcp"]}
    (root / ".vscode/mcp.json").write_text(json.dumps({"servers": {"aurora": entry}}), encoding="utf-8")
    found = read_host_state(BY_NAME["vscode"], root, person, "project")
    assert (found.status, found.message) == ("incomplete", '.vscode/mcp.json: the entry "aurora" lacks "type"')


def test_an_unreachable_user_file_is_absent_and_not_invalid(root: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder", encoding="utf-8")
    homeless = UserPaths.from_environment({"HOME": str(tmp_path / "home"), "PATH": ""}, "linux")
    assert {one.status for host in HOSTS for one in read_host_states(host, root, homeless)} == {"absent"}


def test_a_missing_file_is_absent_and_an_invalid_one_has_a_position(root: Path, person: UserPaths) -> None:
    assert read_host_state(CLAUDE, root, person, "project").status == "absent"
    (root / ".mcp.json").write_text("{\n  oops", encoding="utf-8")
    found = read_host_state(CLAUDE, root, person, "project")
    assert found.status == "broken"
    assert found.message.startswith(".mcp.json:2:3: ")


def test_the_user_s_file_counts_if_it_names_this_project(root: Path, person: UserPaths) -> None:
    path = person.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    other = {"command": "aur", "args": ["mcp", "--project", "/other"]}
    this = {"command": "aur", "args": ["mcp", "--project", str(root)]}
    path.write_text(json.dumps({"mcpServers": {"aurora-other": other}}), encoding="utf-8")
    assert [one.scope for one in read_host_states(BY_NAME["cursor"], root, person)] == ["project"]
    path.write_text(json.dumps({"mcpServers": {"aurora-other": other, "mine\ud800": this}}), encoding="utf-8")
    found = read_host_states(BY_NAME["cursor"], root, person)
    assert [(one.scope, one.status, one.server) for one in found] == [
        ("person", "connected", "mine?"),
    ]


def test_a_host_is_detected_by_a_project_file_a_user_file_or_a_program(root: Path, person: UserPaths) -> None:
    assert find_used_hosts(root, person) == ()
    (root / ".zed").mkdir()
    (person.home / ".codeium/windsurf").mkdir(parents=True)
    program = person.home.parent / "bin" / "codex"
    program.write_text("", encoding="utf-8")
    assert find_evidence(BY_NAME["codex"], root, person) == (), "a file that cannot be started is no program"
    program.chmod(0o755)
    assert {host.name: find_evidence(host, root, person) for host in find_used_hosts(root, person)} == {
        "codex": ("the program codex",),
        "zed": (".zed",),
        "windsurf": ("~/.codeium/windsurf",),
    }


def test_an_unknown_host_is_reported_with_the_nearest_name() -> None:
    with pytest.raises(Fault, match='there is no assistant "claude-cod"; did you mean "claude-code"') as caught:
        get_hosts(["claude-cod"])
    assert caught.value.code is Code.NOT_FOUND
    assert len(caught.value.details["choices"]) == 17


def test_the_real_server_starts_and_lists_its_three_tools(root: Path) -> None:
    assert list_server_tools(REAL, root).tools == DEFAULT_TOOLS


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('no database')", 'it ended without listing its tools: "no database"'),
        ("import time; time.sleep(60)", "it did not list its tools within 1 s"),
        ('print(\'{"id": "list", "result": []}\')', "it ended without listing its tools"),
    ],
)
def test_a_failing_server_is_reported_with_its_last_line_before_the_timeout(
    program: str, said: str, root: Path
) -> None:
    assert list_server_tools([sys.executable, "-c", program], root, seconds=1.0).problem == said


def test_a_program_that_cannot_be_started_is_reported(root: Path) -> None:
    assert "does not start" in list_server_tools([str(root / "absent")], root).problem
    assert "does not start" in list_server_tools(["a\0b"], root).problem


def test_a_relative_program_is_resolved_against_the_project(root: Path, person: UserPaths) -> None:
    program = root / ".venv" / "bin" / "aur"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    write(root, {"command": ".venv/bin/aur", "args": ["mcp"]})
    assert read_host_state(CLAUDE, root, person, "project").status == "connected"
