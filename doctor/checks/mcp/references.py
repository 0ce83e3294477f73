"""Check that assistants' texts and their configuration agree with each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.doctor.finding import report_skip, report_warning
from aurora.hosts import DEFAULT_TOOLS, HOSTS, Launch, plan_changes, read_host_states

from .config import format_init_step, select_entry_fix
from .entries import list_entries, read_server_entries
from .removed_tools import REMOVED_TOOLS
from .texts import iter_texts, read_text_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding
    from aurora.hosts import Host, HostState

    from .entries import ServerEntry
    from .texts import AssistantText

_TOOL_CALL = re.compile(r"(?<![\w-])mcp__(?P<server>[\w-]*?aurora[\w-]*?)__(?P<tool>\w+)")
"""A tool as Claude Code names it; other servers may come from plug-ins, which are unknown here."""
_TOOL_NAME = re.compile(rf"(?<![\w-])({'|'.join(DEFAULT_TOOLS)})(?![\w-])")


def check_references(subject: DoctorContext) -> Iterator[Finding]:
    """Report each reference to something unknown, and each missing text."""
    good: dict[str, list[ServerEntry]] = {}
    for entry in list_entries(subject):
        good.setdefault(entry.host.name, []).append(entry)
    told: set[tuple[str, str]] = set()
    for host in HOSTS:
        for finding, shown in _check_texts(host, tuple(one.state.server for one in good.get(host.name, ())), subject):
            if (shown, finding.message) not in told:  # several hosts read the same note
                told.add((shown, finding.message))
                yield finding
    yield from _check_missing_texts(good, subject)


def _check_texts(host: Host, connected: tuple[str, ...], subject: DoctorContext) -> Iterator[tuple[Finding, str]]:
    """Check a host's texts; `connected` are the names of Aurora's servers in its files."""
    found = read_host_states(host, subject.root, subject.person)
    if not connected and any(one.status != "absent" for one in found):
        return  # the entry is invalid, which another check reports
    servers = _list_known_servers(host, subject)
    for text in iter_texts(host, subject):
        called = sorted({(one["server"], one["tool"]) for one in _TOOL_CALL.finditer(text.text)})
        missing = sorted({server for server, _ in called if server not in servers})
        if not missing and not connected and text.kind != "note" and _TOOL_NAME.search(text.text):
            missing = ["aurora"]
        for server in missing:
            yield _report_unknown_server(host, text, server, connected, subject), text.shown
        for server, tool in called:
            if server in servers and tool not in DEFAULT_TOOLS and tool not in REMOVED_TOOLS and connected:
                said = f'{text.shown}: the {text.kind} refers to the tool "{tool}", which the server does not offer'
                names = ", ".join(DEFAULT_TOOLS)
                told = f"Name one of {names} in {text.shown}, or add `--toolsets all` to the server's words."
                yield report_warning("mcp.references.tool", said, told), text.shown


def _report_unknown_server(
    host: Host, text: AssistantText, server: str, connected: tuple[str, ...], subject: DoctorContext
) -> Finding:
    said = f'{text.shown}: the {text.kind} refers to the MCP server "{server}", which is not in the configuration of'
    if connected:
        return report_warning(
            "mcp.references.server", f"{said} {host.title}", f'Name the server "{connected[0]}" in {text.shown}.'
        )
    own = text.shown.startswith("~/")
    state = read_host_states(host, subject.root, subject.person)[0]
    repaired = server == "aurora" and not own
    if own and state.status == "absent":  # a user's text serves every project, not necessarily this one
        return report_skip("mcp.references.server-own", f"{said} {host.title} for this project")
    mend = select_entry_fix(state) if repaired else None
    return report_warning(
        "mcp.references.server", f"{said} {host.title}", format_init_step(host, state), mend=mend, about=host.name
    )


def _list_known_servers(host: Host, subject: DoctorContext) -> set[str]:
    """List the servers that a host knows in this project."""
    found = {
        name
        for state in read_host_states(host, subject.root, subject.person)
        for name in read_server_entries(host, state.scope, subject)
    }
    if host.project:
        found |= set(read_server_entries(host, "person", subject))
    return found


def _check_missing_texts(good: dict[str, list[ServerEntry]], subject: DoctorContext) -> Iterator[Finding]:
    """Report texts of a valid entry that are missing or of an earlier version."""
    told: set[str] = set()
    for found in good.values():
        host, state = found[0].host, found[0].state
        for change in _report_planned_changes(host, state, subject):
            if change.message not in told:
                told.add(change.message)
                yield change


def _report_planned_changes(host: Host, state: HostState, subject: DoctorContext) -> Iterator[Finding]:
    """Report each change that `aur init` would make, and each that it could not."""
    made = plan_changes(
        subject.root,
        subject.person,
        (host,),
        Launch.detect(subject.person),
        user=state.scope == "person",
        skill=subject.equipment.skill(),
    )
    for change in made.changes:
        what = ", ".join(change.reasons)
        held = read_text_file(change.display_path, subject)
        kind, said = "mcp.references.older", "is of an earlier version"
        if held is None or "aurora" not in held[1]:
            kind, said = "mcp.references.missing", "is missing"
        yield report_warning(
            kind,
            f"{change.display_path}: {what} {said}",
            format_init_step(host, state),
            mend=select_entry_fix(state),
            about=host.name,
        )
    for trouble in made.problems:
        yield report_warning(
            "mcp.references.blocked",
            trouble.message.removesuffix("; the file is unchanged"),
            f"Fix {trouble.where}.  {format_init_step(host, state)}",
        )
