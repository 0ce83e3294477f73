from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import HostReply, ask_host, get_hosts
from aurora.hosts.probe import read_reply

if TYPE_CHECKING:
    from pathlib import Path

# What the assistants printed in November 2026.
_REAL = {
    "claude, not approved": (
        "Checking MCP server health…\n\naurora: aur mcp - ⏸ Pending approval (run `claude` to approve)\n",
        HostReply("no", "aurora: aur mcp - Pending approval (run `claude` to approve)"),
    ),
    "claude, failed": (
        "aurora: aur mcp - ✗ Failed to connect\n",
        HostReply("no", "aurora: aur mcp - Failed to connect"),
    ),
    "claude, connected": ("aurora: aur mcp - ✓ Connected\n", HostReply("yes", "aurora: aur mcp - Connected")),
    "gemini, untrusted": (
        "Warning: disabled because this folder is untrusted.\n\n○ aurora: /opt/bin/aur mcp (stdio) - Disabled\n",
        HostReply("no", "aurora: /opt/bin/aur mcp (stdio) - Disabled"),
    ),
    "gemini, connected": (
        "Configured MCP servers:\n\n✓ aurora: /opt/bin/aur mcp (stdio) - Connected\n",
        HostReply("yes", "aurora: /opt/bin/aur mcp (stdio) - Connected"),
    ),
    "gemini, not connected": (
        "✗ aurora: /opt/bin/aur mcp (stdio) - Disconnected\n",
        HostReply("no", "aurora: /opt/bin/aur mcp (stdio) - Disconnected"),
    ),
    "opencode": (
        "\x1b[0m\n┌  MCP Servers\n│\n●  ✓ aurora \x1b[90mconnected\n│      \x1b[90m/opt/bin/aur mcp\n│\n└  1 server\n",
        HostReply("yes", "aurora connected"),
    ),
}


@pytest.mark.parametrize(("text", "expected"), _REAL.values(), ids=_REAL)
def test_the_line_of_each_assistant_is_read(text: str, expected: HostReply) -> None:
    assert read_reply(text, "aurora") == expected


def test_another_server_and_a_path_are_not_taken_for_it() -> None:
    text = "other: /home/aurora/bin/x - Connected\naurora-2: x - Connected\nmy aurora: x - Connected\n"
    assert read_reply(text, "aurora") is None


def test_words_of_the_command_line_are_not_taken_for_the_state() -> None:
    reply = read_reply("aurora: /home/failed error/aur mcp - Connected", "aurora")
    assert reply is not None
    assert reply.connected == "yes"
    reply = read_reply("aurora: /opt/connected/aur mcp - waiting", "aurora")
    assert reply is not None
    assert reply.connected == "not known"


def _write_program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (tmp_path / "project").mkdir()
    return tmp_path.resolve() / "project"


def test_a_host_without_a_program_is_not_known(project: Path) -> None:
    (claude,) = get_hosts(["claude-code"])
    assert ask_host(claude, "aurora", project) == HostReply(said="there is no program `claude` on PATH")
    (cursor,) = get_hosts(["cursor"])
    assert ask_host(cursor, "aurora", project) == HostReply()


def test_a_program_of_the_project_is_never_started(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (claude,) = get_hosts(["claude-code"])
    _write_program(project / "bin", "claude", f"touch {project}/started; echo 'aurora: x - Connected'")
    monkeypatch.setenv("PATH", f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert ask_host(claude, "aurora", project).connected == "not known"
    assert not (project / "started").exists()


def test_a_program_is_asked_in_the_project(project: Path) -> None:
    (claude,) = get_hosts(["claude-code"])
    _write_program(project.parent / "bin", "claude", 'echo "aurora: $PWD $* - Connected"')
    assert ask_host(claude, "aurora", project) == HostReply("yes", f"aurora: {project} mcp list - Connected")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", '`claude mcp list` does not mention "aurora"'),
        ("sleep 60 & sleep 60", "`claude mcp list` did not end within 0.3 s"),
        ("head -c 9000000 /dev/zero", '`claude mcp list` does not mention "aurora"'),
    ],
)
def test_a_program_that_says_nothing_useful_is_not_known(project: Path, script: str, said: str) -> None:
    (claude,) = get_hosts(["claude-code"])
    _write_program(project.parent / "bin", "claude", script)
    assert ask_host(claude, "aurora", project, 0.3 if "sleep" in script else 30) == HostReply(said=said)


def test_a_file_that_is_no_program_is_reported(project: Path) -> None:
    (claude,) = get_hosts(["claude-code"])
    _write_program(project.parent / "bin", "claude", "")
    (project.parent / "bin" / "claude").write_text("#!/nowhere/sh\n", encoding="utf-8")
    assert "`claude mcp list` does not start" in ask_host(claude, "aurora", project).said
    odd = replace(claude, ask="claude 'mcp list'")
    assert "does not start" in ask_host(odd, "aurora", project).said
