"""What the person has approved is read from the host's own files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import HOSTS, HostState, UserPaths, read_approval

if TYPE_CHECKING:
    from pathlib import Path

BY_NAME = {host.name: host for host in HOSTS}


@pytest.mark.parametrize(
    ("name", "file", "content", "expected"),
    [
        ("claude-code", ".claude/settings.json", {"enabledMcpjsonServers": ["aurora"]}, "yes"),
        ("claude-code", ".claude/settings.json", {"enabledMcpjsonServers": ["db"]}, "no"),
        ("claude-code", ".claude/settings.json", {"enableAllProjectMcpServers": True}, "yes"),
        ("claude-code", ".claude.json", {"projects": {"ROOT": {"enabledMcpjsonServers": ["aurora"]}}}, "yes"),
        ("claude-code", ".claude.json", {"projects": {"ROOT": {"disabledMcpjsonServers": ["aurora"]}}}, "no"),
        ("claude-code", ".claude.json", {"projects": []}, "no"),
        ("codex", ".codex/config.toml", '[projects."ROOT"]\ntrust_level = "trusted"\n', "yes"),
        ("codex", ".codex/config.toml", '[projects."ROOT"]\ntrust_level = "untrusted"\n', "no"),
        ("codex", ".codex/config.toml", "[[[", "no"),
        ("gemini", ".gemini/trustedFolders.json", {"ROOT": "TRUST_FOLDER"}, "yes"),
        ("gemini", ".gemini/trustedFolders.json", {"ROOT/inner": "TRUST_PARENT"}, "yes"),
        ("gemini", ".gemini/trustedFolders.json", {"/": "TRUST_FOLDER", "ROOT": "DO_NOT_TRUST"}, "no"),
        ("gemini", ".gemini/trustedFolders.json", {"/elsewhere": "TRUST_FOLDER"}, "no"),
        ("gemini", ".gemini/trustedFolders.json", {"ROOT": ["TRUST_FOLDER"]}, "no"),
        ("copilot-cli", ".copilot/config.json", {"trustedFolders": ["ROOT"]}, "yes"),
        ("copilot-cli", ".copilot/config.json", {"trustedFolders": "ROOT"}, "no"),
        ("opencode", ".unused", {}, "yes"),
        ("cursor", ".unused", {}, "not known"),
    ],
)
def test_the_approval_of_a_project_s_entry_is_what_the_host_recorded(  # noqa: PLR0913, PLR0917 - fixtures
    name: str, file: str, content: object, expected: str, root: Path, person: UserPaths
) -> None:
    path = person.home / file
    path.parent.mkdir(exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text.replace("ROOT", str(root)), encoding="utf-8")
    state = HostState(name, "project", "", "connected", "aurora")
    assert read_approval(BY_NAME[name], state, root, person) == expected


def test_the_user_s_own_entry_needs_no_approval(root: Path, person: UserPaths) -> None:
    state = HostState("codex", "person", "", "connected", "aurora-shop")
    assert read_approval(BY_NAME["codex"], state, root, person) == "yes"
