"""Check for leftovers of removed tools in permissions, approvals and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.finding import NOT_FIXED, report_nothing, report_warning
from aurora.doctor.removed_tools import REMOVED_TOOL_PATTERN, REMOVED_TOOLS
from aurora.hosts import HOSTS, apply_changes
from aurora.hosts.config import Draft, classify_owner
from aurora.hosts.formats import ConfigFileError

from .json_lists import remove_list_items
from .texts import find_project_texts, format_location, read_text_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding
    from aurora.hosts import AssistantText

SETTINGS_FILES = (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json")
"""Files with permissions; the hosts' own files are the others, with approvals next to an entry."""


def check_leftovers(context: DoctorContext) -> Iterator[Finding]:
    """Report each file that names a removed tool, with the first such line."""
    settings, texts = tuple(_iter_settings_files(context)), tuple(find_project_texts(context))
    if not settings and not texts:
        yield report_nothing("there are no settings or texts of assistants that could name a removed tool")
    for written, shown, text in settings:
        found = REMOVED_TOOL_PATTERN.search(text)
        if found is None:
            continue
        message = f'{format_location(shown, text, found.start())}: "{found[0]}" names a tool that Aurora no longer has'
        is_fixable = _remove_mentions(written, text) != text
        yield report_warning(
            "mcp.leftovers.list",
            message,
            f'Remove "{found[0]}" from {shown}.',
            fix=remove_leftovers if is_fixable else None,
        )
    for text_file in texts:
        finding = _check_text(text_file)
        if finding is not None:
            yield finding


def _check_text(text: AssistantText) -> Finding | None:
    """Report a text that uses a removed tool, unless `aur init` would replace it."""
    found = REMOVED_TOOL_PATTERN.search(text.text)
    if found is None or classify_owner(text.text, "") == "older":
        return None
    place = format_location(text.display_path, text.text, found.start())
    message = f'{place}: the {text.kind} uses "{found[0]}", which was removed'
    return report_warning(
        "mcp.leftovers.text", message, f"Use {REMOVED_TOOLS[found[1]]} instead in {text.display_path}."
    )


def remove_leftovers(context: DoctorContext) -> Iterator[str]:
    """Remove the names from every list in the JSON files; yield each change."""
    draft = Draft(context.root, context.person)
    for written, shown, text in _iter_settings_files(context):
        cleaned = _remove_mentions(written, text)
        if cleaned == text:
            continue
        try:
            draft.write(draft.resolve_path(written), cleaned, "removed entries for removed tools")
        except ConfigFileError as broken:
            yield f"{NOT_FIXED}{shown}: {broken.message}. {broken.help}"
    done, failed = apply_changes(draft.list_changes(), context.root, context.person)
    yield from (f"edited {change.display_path}: {', '.join(change.reasons)}" for change in done)
    yield from (f"{NOT_FIXED}{problem.message}. {problem.help}" for problem in failed)


def _iter_settings_files(context: DoctorContext) -> Iterator[tuple[str, str, str]]:
    """Yield the files with lists of tools: configured path, displayed path, text."""
    draft = Draft(context.root, context.person)
    files = [*SETTINGS_FILES, *(path for host in HOSTS for path in (*host.project, host.user))]
    for written in dict.fromkeys(files):
        found = read_text_file(written, context)
        if found:
            yield written, draft.format_path(found[0]), found[1]


def _remove_mentions(written: str, text: str) -> str:
    """Remove list elements that name a removed tool; leave text that is not JSON."""
    if not written.endswith(".json"):
        return text
    try:
        return remove_list_items(text, lambda element: REMOVED_TOOL_PATTERN.fullmatch(element) is not None)
    except ConfigFileError:
        return text
