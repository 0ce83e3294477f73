"""The locations of texts cover what `aur init` writes, and a text is read once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from aurora.hosts import HOSTS, TEXT_LOCATIONS, Host, UserPaths, find_texts

if TYPE_CHECKING:
    from pathlib import Path


def _matches(pattern: str, path: str) -> bool:
    parts = [re.escape(part) for part in pattern.split("*")]
    return re.fullmatch("[^/]*".join(parts).replace("[^/]*[^/]*/", "(?:.*/)?"), path) is not None


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_each_file_that_init_writes_is_among_the_texts_of_its_host(host: Host) -> None:
    for extra in host.extras:
        if extra.kind == "reference":  # it names every tool, and is compared whole
            continue
        locations = [one for one in TEXT_LOCATIONS if host.name in one.hosts and _matches(one.path, extra.path)]
        assert locations, extra.path
        expected = {"command": "slash command"}.get(extra.kind, extra.kind)
        assert {one.kind for one in locations} == {expected}


def test_every_reader_is_a_host() -> None:
    names = {host.name for host in HOSTS}
    assert {name for location in TEXT_LOCATIONS for name in location.hosts} <= names


def test_a_text_is_read_once_with_all_its_readers(root: Path, person: UserPaths) -> None:
    (root / "AGENTS.md").write_text("Use tea.\n", encoding="utf-8")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (text,) = find_texts(root, person)
    assert (text.display_path, text.text) == ("AGENTS.md", "Use tea.\n")
    assert {"claude-code", "codex", "zed"} <= set(text.hosts)


def test_the_number_of_files_is_bounded(root: Path, person: UserPaths) -> None:
    folder = root / ".claude/commands"
    folder.mkdir(parents=True)
    for number in range(400):
        (folder / f"{number:03}.md").write_text("tea", encoding="utf-8")
    assert len(find_texts(root, person)) == 300
