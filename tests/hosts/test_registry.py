"""Each host's entry in the registry is complete, and told in the documents."""

from __future__ import annotations

import pytest

from aurora.hosts import HOSTS, Host
from aurora.hosts.entry import build_entry, find_missing_fields, read_argv
from aurora.hosts.host import Slot

EVERY = [pytest.param(host, id=host.name) for host in HOSTS]


def test_there_are_seventeen_hosts_with_distinct_names() -> None:
    assert len({host.name for host in HOSTS}) == len({host.title for host in HOSTS}) == len(HOSTS) == 17


@pytest.mark.parametrize("host", EVERY)
def test_the_command_of_an_entry_can_be_read_back(host: Host) -> None:
    entry = build_entry(host, ("aur", "mcp"), "aurora")
    assert read_argv(host, entry) == ("aur", "mcp")
    assert find_missing_fields(host, entry) == ()
    assert not [value for value in entry.values() if isinstance(value, Slot)]


@pytest.mark.parametrize("host", EVERY)
def test_a_host_is_detected_by_the_files_that_init_writes(host: Host) -> None:
    written = (*host.project, host.user)
    if host.name == "continue-cli":  # the extension has the same file
        assert (host.marks, host.programs) == ((), ("cn",))
        return
    assert any(mark == one or one.startswith(f"{mark}/") for mark in host.marks for one in written)


@pytest.mark.parametrize("host", EVERY)
def test_only_user_files_are_written_outside_of_the_project(host: Host) -> None:
    for extra in host.extras:
        assert not extra.path.startswith(("/", "..", "{"))
        assert bool(extra.text) == (extra.kind != "skill" and not extra.is_former)


@pytest.mark.parametrize("host", EVERY)
def test_a_host_that_reads_skills_has_no_command_of_the_same_name(host: Host) -> None:
    kinds = {extra.kind for extra in host.extras if not extra.is_former}
    assert not {"skill", "command"} <= kinds
    reads_skills = ["claude-code", "cursor", "vscode", "codex", "gemini", "qwen-code", "opencode", "copilot-cli"]
    assert ("skill" in kinds) == (host.name in reads_skills)
