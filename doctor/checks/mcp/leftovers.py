"""Leftovers of the six tools that were removed: permissions and approvals that name them, texts that send for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import NOT_FIXED, report_warning
from aurora.hosts import HOSTS, apply_changes
from aurora.hosts.config import Draft, classify_owner
from aurora.hosts.formats import ConfigFileError

from .json_lists import remove_list_items
from .removed_tools import REMOVED_TOOL_PATTERN, REMOVED_TOOLS
from .texts import iter_texts, read_text_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

SETTINGS_FILES = (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json")
"""Files with permissions; the others are the hosts' own, where approvals stand beside an entry."""


def check_leftovers(subject: DoctorContext) -> Iterator[Finding]:
    """One finding for each file, with the first line that names a removed tool."""
    for written, shown, text in _iter_settings_files(subject):
        found = REMOVED_TOOL_PATTERN.search(text)
        if found is None:
            continue
        said = f'{_format_location(shown, text, found.start())}: "{found[0]}" names a tool that Aurora no longer has'
        mended = _remove_mentions(written, text) != text
        yield report_warning(
            "mcp.leftovers.list", said, f'Take "{found[0]}" out of {shown}.', mend=remove_leftovers if mended else None
        )
    told: set[str] = set()
    for host in HOSTS:
        for one in iter_texts(host, subject):
            found = REMOVED_TOOL_PATTERN.search(one.text)
            if found is None or one.shown in told or classify_owner(one.text, "") == "older":
                continue
            told.add(one.shown)
            place = _format_location(one.shown, one.text, found.start())
            said = f'{place}: the {one.kind} sends for "{found[0]}", which is gone'
            yield report_warning(
                "mcp.leftovers.text", said, f"Write {REMOVED_TOOLS[found[1]]} instead, in {one.shown}."
            )


def remove_leftovers(subject: DoctorContext) -> Iterator[str]:
    """Take the names out of every list in the files that are JSON; gives what was done."""
    draft = Draft(subject.root, subject.person)
    for written, shown, text in _iter_settings_files(subject):
        cleaned = _remove_mentions(written, text)
        if cleaned == text:
            continue
        try:
            draft.write(draft.resolve_path(written), cleaned, "what names a removed tool is gone")
        except ConfigFileError as broken:
            yield f"{NOT_FIXED}{shown}: {broken.message}. {broken.help}"
    done, failed = apply_changes(draft.list_changes(), subject.root, subject.person)
    yield from (f"mended {change.display_path}: {', '.join(change.reasons)}" for change in done)
    yield from (f"{NOT_FIXED}{trouble.message}. {trouble.help}" for trouble in failed)


def _iter_settings_files(subject: DoctorContext) -> Iterator[tuple[str, str, str]]:
    """The files in which lists of tools stand: as the hosts' data calls each, as a person does, and its text."""
    draft = Draft(subject.root, subject.person)
    files = [*SETTINGS_FILES, *(one for host in HOSTS for one in (*host.project, host.user))]
    for written in dict.fromkeys(files):
        found = read_text_file(written, subject)
        if found:
            yield written, draft.format_path(found[0]), found[1]


def _remove_mentions(written: str, text: str) -> str:
    """The text without elements of lists that name a removed tool; as it is when it is no JSON."""
    if not written.endswith(".json"):
        return text
    try:
        return remove_list_items(text, lambda element: REMOVED_TOOL_PATTERN.fullmatch(element) is not None)
    except ConfigFileError:
        return text


def _format_location(shown: str, text: str, offset: int) -> str:
    return f"{shown}:{text.count(chr(10), 0, offset) + 1}"
