"""Leftovers of the six tools that were removed: permissions and approvals that name them, texts that send for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import LEFT, warning
from aurora.hosts import HOSTS, apply
from aurora.hosts.config.draft import Draft
from aurora.hosts.config.markers import whose
from aurora.hosts.formats.errors import Broken

from .json_lists import without
from .removed_tools import MENTION, REMOVED
from .texts import read, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding

SETTINGS = (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json")
"""Files with permissions; the others are the hosts' own, where approvals stand beside an entry."""


def look(subject: Subject) -> Iterator[Finding]:
    """One finding for each file, with the first line that names a removed tool."""
    for written, shown, text in _lists(subject):
        found = MENTION.search(text)
        if found is None:
            continue
        said = f'{_at(shown, text, found.start())}: "{found[0]}" names a tool that Aurora no longer has'
        mended = _cleaned(written, text) != text
        yield warning("mcp.leftovers.list", said, f'Take "{found[0]}" out of {shown}.', mend=mend if mended else None)
    told: set[str] = set()
    for host in HOSTS:
        for one in texts(host, subject):
            found = MENTION.search(one.text)
            if found is None or one.shown in told or whose(one.text, "") == "older":
                continue
            told.add(one.shown)
            said = f'{_at(one.shown, one.text, found.start())}: the {one.kind} sends for "{found[0]}", which is gone'
            yield warning("mcp.leftovers.text", said, f"Write {REMOVED[found[1]]} instead, in {one.shown}.")


def mend(subject: Subject) -> Iterator[str]:
    """Take the names out of every list in the files that are JSON; gives what was done."""
    draft = Draft(subject.root, subject.person)
    for written, shown, text in _lists(subject):
        cleaned = _cleaned(written, text)
        if cleaned == text:
            continue
        try:
            draft.write(draft.place(written), cleaned, "what names a removed tool is gone")
        except Broken as broken:
            yield f"{LEFT}{shown}: {broken.message}. {broken.help}"
    done, failed = apply(draft.changes(), subject.root, subject.person)
    yield from (f"mended {change.shown}: {', '.join(change.why)}" for change in done)
    yield from (f"{LEFT}{trouble.message}. {trouble.help}" for trouble in failed)


def _lists(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """The files in which lists of tools stand: as the hosts' data calls each, as a person does, and its text."""
    draft = Draft(subject.root, subject.person)
    files = [*SETTINGS, *(one for host in HOSTS for one in (*host.project, host.user))]
    for written in dict.fromkeys(files):
        found = read(written, subject)
        if found:
            yield written, draft.shown(found[0]), found[1]


def _cleaned(written: str, text: str) -> str:
    """The text without elements of lists that name a removed tool; as it is when it is no JSON."""
    if not written.endswith(".json"):
        return text
    try:
        return without(text, lambda element: MENTION.fullmatch(element) is not None)
    except Broken:
        return text


def _at(shown: str, text: str, offset: int) -> str:
    return f"{shown}:{text.count(chr(10), 0, offset) + 1}"
