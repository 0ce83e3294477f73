"""Entries over HTTP are merged as those that start a program: comments stay, and a second time changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hosts import HOSTS, RemoteServer, apply_changes, plan_changes, plan_removal, read_host_states

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from aurora.hosts import ChangePlan, Host, Launch, UserPaths

BY_NAME = {host.name: host for host in HOSTS}
VARIABLE_HOSTS = [host for host in HOSTS if host.http is not None and host.http.takes_variable]
OTHERS = [host for host in HOSTS if host not in VARIABLE_HOSTS]
REMOTE = RemoteServer("https://aurora.example.org/p/shop/mcp", "AURORA_TOKEN")
MOVED = RemoteServer("https://new.example.org/p/shop/mcp")
COMMENTED = """{
  // ours
  "servers": {
    /* the shop */ "tea": { "command": "tea" } // last
  }
}
"""


class Desk:
    """A project whose hosts are set up, and read."""

    def __init__(self, root: Path, person: UserPaths, launch: Launch) -> None:
        self.root, self.person, self.launch = root, person, launch

    def set_up(self, host: Host, remote: RemoteServer | None = REMOTE, *, user: bool = False) -> ChangePlan:
        plan = plan_changes(self.root, self.person, [host], self.launch, remote=remote, user=user)
        apply_changes(plan.changes, self.root, self.person)
        return plan

    def remove(self, host: Host) -> ChangePlan:
        plan = plan_removal(self.root, self.person, [host])
        apply_changes(plan.changes, self.root, self.person)
        return plan

    def read(self, host: Host, *, user: bool = False) -> str:
        path = self.person.resolve_path(host.user) if user or not host.project else self.root / host.project[0]
        return path.read_text(encoding="utf-8")

    def see(self, host: Host) -> list[tuple[str, str]]:
        return [(state.status, state.url) for state in read_host_states(host, self.root, self.person)]


@pytest.fixture
def desk(root: Path, person: UserPaths, launch: Launch) -> Desk:
    return Desk(root, person, launch)


@pytest.mark.parametrize("host", VARIABLE_HOSTS, ids=lambda host: host.name)
def test_each_host_gets_its_entry_once_and_loses_it_again(host: Host, desk: Desk, snapshot: SnapshotAssertion) -> None:
    assert desk.set_up(host).problems == ()
    text = desk.read(host)
    hashed = next((state.server for state in read_host_states(host, desk.root, desk.person)), "aurora")
    assert text.replace(hashed, "aurora") == snapshot
    assert desk.see(host) == [("connected", REMOTE.url)]
    again = desk.set_up(host)
    assert [one.display_path for one in again.changes] == []
    assert desk.read(host) == text
    assert desk.set_up(host, None).changes == ()  # an address that somebody chose stays
    desk.remove(host)
    assert desk.see(host) == [("absent", "")]


@pytest.mark.parametrize("host", OTHERS, ids=lambda host: host.name)
def test_a_host_that_reads_no_variable_gets_no_file_and_a_way_out(host: Host, desk: Desk) -> None:
    plan = desk.set_up(host)
    assert plan.changes == ()
    (problem,) = plan.problems
    assert host.title in problem.message
    assert f"aur init --hosts {host.name}`" in problem.help
    without = desk.set_up(host, MOVED)
    assert (without.problems == ()) == (host.http is not None)


def test_comments_and_other_servers_stay(desk: Desk) -> None:
    file = desk.root / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text(COMMENTED, encoding="utf-8")
    desk.set_up(BY_NAME["vscode"])
    text = file.read_text(encoding="utf-8")
    assert all(part in text for part in ("// ours", '/* the shop */ "tea": { "command": "tea" } // last', REMOTE.url))
    desk.remove(BY_NAME["vscode"])
    assert file.read_text(encoding="utf-8") == COMMENTED


@pytest.mark.parametrize(
    "host", [BY_NAME["claude-code"], BY_NAME["codex"], BY_NAME["continue"]], ids=lambda one: one.name
)
@pytest.mark.parametrize("user", [False, True], ids=["project", "user"])
def test_a_program_gives_way_to_an_address_and_leaves_nothing(host: Host, user: bool, desk: Desk) -> None:  # noqa: FBT001 - a parameter of the test
    desk.set_up(host, None, user=user)
    assert "mcp" in desk.read(host, user=user)
    desk.set_up(host, user=user)
    text = desk.read(host, user=user)
    assert "command" not in text
    assert "args" not in text
    assert text.count(REMOTE.url) == 1
    assert desk.see(host) == [("connected", REMOTE.url)]
    desk.remove(host)
    assert desk.see(host) == [("absent", "")]


def test_the_token_of_one_server_is_not_sent_to_another(desk: Desk) -> None:
    host = BY_NAME["claude-code"]
    desk.set_up(host)
    own = json.loads(desk.read(host))
    own["mcpServers"]["aurora"]["headers"]["X-Team"] = "tea"
    own["mcpServers"]["aurora"]["timeout"] = 90
    (desk.root / ".mcp.json").write_text(json.dumps(own), encoding="utf-8")
    assert desk.set_up(host).changes == ()
    desk.set_up(host, MOVED)
    entry = json.loads(desk.read(host))["mcpServers"]["aurora"]
    assert entry == {"type": "http", "url": MOVED.url, "alwaysLoad": True, "timeout": 90}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": "borealis"}, 'starts another program, "borealis"'),
        ({"type": "http", "url": "https://tea.example.org/sse"}, "leads to another server"),
        ({"type": "http", "url": "https://ann:pw@tea.example.org/mcp"}, "leads to another server"),
    ],
)
def test_the_entry_of_another_server_is_not_replaced(entry: Any, said: str, desk: Desk) -> None:
    text = json.dumps({"mcpServers": {"aurora": entry}})
    (desk.root / ".mcp.json").write_text(text, encoding="utf-8")
    plan = desk.set_up(BY_NAME["claude-code"])
    assert said in plan.problems[0].message
    assert "pw" not in plan.problems[0].message
    assert desk.read(BY_NAME["claude-code"]) == text
    assert [status for status, _ in desk.see(BY_NAME["claude-code"])] == ["taken"]


def test_an_entry_of_another_project_in_the_users_file_is_not_this_projects(desk: Desk, tmp_path: Path) -> None:
    host, other = BY_NAME["claude-code"], tmp_path / "elsewhere" / "shop"
    other.mkdir(parents=True)
    desk.set_up(host, user=True)
    there = Desk(other, desk.person, desk.launch)
    assert there.see(host) == [("absent", "")]
    there.set_up(host, user=True)
    there.remove(host)
    assert desk.see(host) == [("connected", REMOTE.url)]


def test_an_entry_without_its_type_is_incomplete(desk: Desk) -> None:
    (desk.root / ".mcp.json").write_text(json.dumps({"mcpServers": {"aurora": {"url": REMOTE.url}}}), encoding="utf-8")
    (state,) = read_host_states(BY_NAME["claude-code"], desk.root, desk.person)
    assert (state.status, state.message) == ("incomplete", '.mcp.json: the entry "aurora" lacks "type"')
    assert f"--url {REMOTE.url}" in state.help
    desk.set_up(BY_NAME["claude-code"])
    assert desk.see(BY_NAME["claude-code"]) == [("connected", REMOTE.url)]
