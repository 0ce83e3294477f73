"""Check that assistants' texts and their configuration agree with each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurora.hosts import (
    DEFAULT_TOOLS,
    HOSTS,
    find_evidence,
    find_texts,
    read_host_states,
)

from .configuration import (
    format_first_init_step,
    format_init_step,
    is_used_in_project,
    list_entries,
    plan_host,
    read_server_entries,
    read_text_file,
    select_entry_fix,
)
from .model import report_nothing, report_skip, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from aurora.hosts import AssistantText, Host, HostState

    from .configuration import ServerEntry
    from .model import DoctorContext, Finding

_TOOL_CALL = re.compile(r"(?<![\w-])mcp__(?P<words>[\w-]{1,200})")
"""A tool as Claude Code names it, in linear time."""
_TOOL_NAME = re.compile(rf"(?<![\w-])({'|'.join(DEFAULT_TOOLS)})(?![\w-])")


class _Connected(NamedTuple):
    """Names of the connected hosts, and the files that they read, as other hosts may."""

    names: AbstractSet[str]
    files: AbstractSet[str]


def check_references(context: DoctorContext) -> Iterator[Finding]:
    """Report each reference to something unknown, and each missing text."""
    entries: dict[str, list[ServerEntry]] = {}
    for entry in list_entries(context):
        entries.setdefault(entry.host.name, []).append(entry)
    reported: set[tuple[str, str]] = set()
    files = {extra.path for found in entries.values() for extra in found[0].host.extras}
    others = _Connected(entries.keys(), files)
    texts = find_texts(context.root, context.person)
    if not texts and not entries:
        yield report_nothing("no assistant is connected here, and none has slash commands, skills, agents or notes")
    for host in HOSTS:
        connected = tuple(entry.state.server for entry in entries.get(host.name, ()))
        read = tuple(text for text in texts if host.name in text.hosts)
        for finding, shown in _check_texts(host, read, connected, others, context):
            if (shown, finding.message) not in reported:  # several hosts read the same note
                reported.add((shown, finding.message))
                yield finding
    yield from _check_missing_texts(entries, context)


def _check_texts(
    host: Host,
    texts: Iterable[AssistantText],
    connected: tuple[str, ...],
    others: _Connected,
    context: DoctorContext,
) -> Iterator[tuple[Finding, str]]:
    """Check a host's texts.

    Args:
        host: the assistant.
        texts: the texts that it reads.
        connected: the names of Aurora's servers in its files.
        others: all connected hosts.
        context: the project.
    """
    states = read_host_states(host, context.root, context.person)
    if not connected and any(state.status != "absent" for state in states):
        return  # the entry is invalid, which another check reports
    servers = _list_known_servers(host, context)
    is_used = bool(connected or find_evidence(host, context.root, context.person))
    for text in texts:
        if not connected and len(text.hosts) > 1 and (not is_used or others.names & set(text.hosts)):
            continue  # the text is for others that read it
        called = _list_calls(text)
        missing = sorted({server for server, _ in called} - servers)
        is_others = bool(connected) or text.display_path in others.files
        if not missing and not is_others and _needs_server(host, text, context):
            missing = ["aurora"]
        for server in missing:
            yield _report_unknown_server(host, text, server, connected, context), text.display_path
        for server, tool in called:
            if connected and server in servers and tool not in DEFAULT_TOOLS:
                yield _report_unknown_tool(text, tool), text.display_path


def _list_calls(text: AssistantText) -> list[tuple[str, str]]:
    """List the servers of Aurora's that a text names, each with the tool."""
    found = set()
    for call in _TOOL_CALL.finditer(text.text):
        server, separator, tool = call["words"].partition("__")
        if separator and tool and "aurora" in server:
            found.add((server, tool))
    return sorted(found)


def _needs_server(host: Host, text: AssistantText, context: DoctorContext) -> bool:
    """Check whether a text is a reference to the server; a shared text is, for a host in use."""
    readers = {one.name for one in HOSTS for extra in one.extras if extra.path == text.display_path}
    if text.kind == "note" or (readers - {host.name} and not find_evidence(host, context.root, context.person)):
        return False
    return _TOOL_NAME.search(text.text) is not None


def _report_unknown_tool(text: AssistantText, tool: str) -> Finding:
    message = f'{text.display_path}: the {text.kind} refers to the tool "{tool}", which the server does not offer'
    names = ", ".join(DEFAULT_TOOLS)
    step = f"Name one of {names} in {text.display_path}, or add `--toolsets all` to the server's command."
    return report_warning("mcp.references.tool", message, step)


def _report_unknown_server(
    host: Host, text: AssistantText, server: str, connected: tuple[str, ...], context: DoctorContext
) -> Finding:
    reference = f'{text.display_path}: the {text.kind} refers to the MCP server "{server}"'
    message = f"{reference}, which is not in the configuration of"
    if connected:
        return report_warning(
            "mcp.references.server",
            f"{message} {host.title}",
            f'Name the server "{connected[0]}" in {text.display_path}.',
        )
    is_user_file = text.display_path.startswith("~/")
    state = read_host_states(host, context.root, context.person)[0]
    if is_user_file and state.status == "absent":  # a user's text serves every project, not necessarily this one
        return report_skip("mcp.references.server-own", f"{message} {host.title} for this project")
    is_meant = len(text.hosts) == 1 or is_used_in_project(host, context)  # else the person chooses the assistants
    fix = select_entry_fix(state) if is_meant and server == "aurora" and not is_user_file else None
    return report_warning(
        "mcp.references.server", f"{message} {host.title}", format_first_init_step(host), fix=fix, about=host.name
    )


def _list_known_servers(host: Host, context: DoctorContext) -> set[str]:
    """List the servers that a host knows in this project."""
    scopes = {state.scope for state in read_host_states(host, context.root, context.person)}
    if host.project:
        scopes.add("person")
    return {name for scope in scopes for name in read_server_entries(host, scope, context)}


def _check_missing_texts(entries: dict[str, list[ServerEntry]], context: DoctorContext) -> Iterator[Finding]:
    """Report texts of a valid entry that are missing or of an earlier version."""
    reported: set[str] = set()
    for entry, *_ in entries.values():
        for finding in _report_planned_changes(entry.host, entry.state, context):
            if finding.message not in reported:
                reported.add(finding.message)
                yield finding


def _report_planned_changes(host: Host, state: HostState, context: DoctorContext) -> Iterator[Finding]:
    """Report each change that `aur init` would make, and each that it could not."""
    plan = plan_host(host, context, user=state.scope == "person")
    for change in plan.changes:
        reasons = ", ".join(change.reasons)
        current = read_text_file(change.display_path, context)
        kind, message = "mcp.references.older", "is of an earlier version"
        if current is None or "aurora" not in current:
            kind, message = "mcp.references.missing", "is missing"
        yield report_warning(
            kind,
            f"{change.display_path}: {reasons} {message}",
            format_init_step(host, state),
            fix=select_entry_fix(state),
            about=host.name,
        )
    for problem in plan.problems:
        yield report_warning(
            "mcp.references.blocked",
            problem.message.removesuffix("; the file is unchanged"),
            f"Fix {problem.where}. {format_init_step(host, state)}",
        )
