"""Each host's entry in the registry is complete, and told in the documents."""

from __future__ import annotations

import pytest

from aurora.hosts import HOSTS, Host
from aurora.hosts.host import Slot
from aurora.hosts.launch import build_entry, find_missing_fields, read_argv

EVERY = [pytest.param(host, id=host.name) for host in HOSTS]


def test_there_are_fourteen_hosts_with_distinct_names() -> None:
    assert len({host.name for host in HOSTS}) == len({host.title for host in HOSTS}) == len(HOSTS) == 14


@pytest.mark.parametrize("host", EVERY)
def test_the_command_of_an_entry_can_be_read_back(host: Host) -> None:
    entry = build_entry(host, ("aur", "mcp"), "aurora")
    assert read_argv(host, entry) == ("aur", "mcp")
    assert find_missing_fields(host, entry) == ()
    assert not [value for value in entry.values() if isinstance(value, Slot)]


@pytest.mark.parametrize("host", EVERY)
def test_a_host_is_detected_by_the_files_that_init_writes(host: Host) -> None:
    written = (*host.project, host.user)
    assert any(mark == one or one.startswith(f"{mark}/") for mark in host.marks for one in written)


@pytest.mark.parametrize("host", EVERY)
def test_only_user_files_are_written_outside_of_the_project(host: Host) -> None:
    for extra in host.extras:
        assert not extra.path.startswith(("/", "..", "{"))
        assert extra.text or extra.kind == "skill"
