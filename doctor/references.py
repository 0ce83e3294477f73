"""Check that assistants' texts and their configuration agree with each other."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.hosts import (
    AGENT_LOCATIONS,
    DEFAULT_TOOLS,
    HOSTS,
    ConfigFileError,
    Draft,
    find_evidence,
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
    from collections.abc import Iterator

    from aurora.hosts import Host

    from .configuration import ServerEntry
    from .model import DoctorContext, Finding

_TOOL_CALL = re.compile(r"(?<![\w-])mcp__(?P<words>[\w-]{1,200})")
"""A tool as Claude Code names it, in linear time."""
_TOOL_NAME = re.compile(rf"(?<![\w-])({'|'.join(DEFAULT_TOOLS)})(?![\w-])")
_MAX_TEXT_BYTES = 1_000_000
_MAX_TOTAL_BYTES = 30_000_000
"""Size limit of all texts together; a clone can bring any number."""
_MAX_FILES = 300
_MAX_FOLDERS = 1_000
"""Limits of one location."""


class TextLocation(NamedTuple):
    """Files in which a person writes for assistants.

    Attributes:
        kind: the name of such a text for people.
        path: relative to the project, or `~/…`. Its last part may begin with `*`, for all files with that end; `**`
            before it matches any folders, and `*` any one folder.
        hosts: the names of the hosts that read it.
    """

    kind: str
    path: str
    hosts: tuple[str, ...]


class _Text(NamedTuple):
    path: str
    kind: str
    hosts: tuple[str, ...]
    text: str


_COPILOT = ("vscode", "copilot-cli")
_AGENT_READERS = {"copilot": _COPILOT}
"""Hosts that read the agents of a format, where their names differ from the format's."""
TEXT_LOCATIONS = (
    TextLocation("slash command", ".claude/commands/**/*.md", ("claude-code",)),
    TextLocation("slash command", "~/.claude/commands/**/*.md", ("claude-code",)),
    TextLocation("slash command", ".cursor/commands/**/*.md", ("cursor",)),
    TextLocation("slash command", ".github/prompts/**/*.prompt.md", ("vscode",)),
    TextLocation("slash command", "~/.codex/prompts/*.md", ("codex",)),
    TextLocation("slash command", ".gemini/commands/**/*.toml", ("gemini",)),
    TextLocation("slash command", ".qwen/commands/**/*.md", ("qwen-code",)),
    TextLocation("slash command", ".opencode/command/**/*.md", ("opencode",)),
    TextLocation("slash command", ".opencode/commands/**/*.md", ("opencode",)),
    TextLocation("slash command", ".windsurf/workflows/**/*.md", ("windsurf",)),
    TextLocation("slash command", ".continue/prompts/**/*.md", ("continue", "continue-cli")),
    TextLocation("skill", ".claude/skills/*/SKILL.md", ("claude-code",)),
    TextLocation("skill", "~/.claude/skills/*/SKILL.md", ("claude-code",)),
    TextLocation("skill", ".github/skills/*/SKILL.md", _COPILOT),
    TextLocation("skill", ".agents/skills/*/SKILL.md", ("codex", "cursor", "gemini", "qwen-code", "opencode")),
    TextLocation("settings file", ".claude/settings.json", ("claude-code",)),
    TextLocation("settings file", ".claude/settings.local.json", ("claude-code",)),
    *(
        TextLocation(
            "agent",
            f"{'' if place.scope == 'project' else '~/'}{place.folder}/{'**/' if place.nested else ''}*.md",
            _AGENT_READERS.get(place.host, (place.host,)),
        )
        for place in AGENT_LOCATIONS
    ),
)


def check_references(context: DoctorContext) -> Iterator[Finding]:
    """Report each reference to something unknown, and each missing text."""
    entries: dict[str, list[ServerEntry]] = {}
    for entry in list_entries(context):
        entries.setdefault(entry.host.name, []).append(entry)
    texts = _find_texts(context)
    if not texts and not entries:
        yield report_nothing("no assistant is connected here, and none has slash commands, skills or agents")
    findings = [
        *(finding for host in HOSTS for finding in _check_texts(host, texts, entries, context)),
        *(finding for found in entries.values() for finding in _report_planned_changes(found[0], context)),
    ]
    yield from {finding.message: finding for finding in findings}.values()  # several hosts read the same text


def _find_texts(context: DoctorContext) -> list[_Text]:
    """Read the texts of the project and of the person, but for what cannot be read."""
    found: dict[Path, _Text] = {}
    draft, left = Draft(context.root, context.person), _MAX_TOTAL_BYTES
    for location in TEXT_LOCATIONS:
        for written in _list_files(location, context):
            try:
                path = draft.resolve_path(written)
                is_read = path not in found and path.stat().st_size <= min(_MAX_TEXT_BYTES, left)
                text = draft.read_text(path) if is_read else None
            except (ConfigFileError, OSError):
                continue
            if text is not None:
                left -= len(text)
                found[path] = _Text(draft.format_path(path), location.kind, location.hosts, text)
    return list(found.values())


def _list_files(location: TextLocation, context: DoctorContext) -> Iterator[str]:
    """Yield the files of a location in the notation of `Draft.resolve_path`; follow no linked folder."""
    if "*" not in location.path:
        yield location.path
        return
    folder, name = location.path.rsplit("/", 1)
    levels = _MAX_FOLDERS if folder.endswith("/**") else int(folder.endswith("/*"))
    folder = folder.removesuffix("/**").removesuffix("/*")
    base = context.person.resolve_path(folder) if folder.startswith("~/") else context.root / folder
    found: list[str] = []
    for here, folders, files in islice(os.walk(base), _MAX_FOLDERS):
        inner = Path(here).relative_to(base)
        # The order decides which files are read where there are too many.
        folders[:] = sorted(folders) if len(inner.parts) < levels else []
        names = [file for file in sorted(files) if file == name or (name[0] == "*" and file.endswith(name[1:]))]
        found += (f"{folder}/{(inner / file).as_posix()}" for file in names)
        if len(found) >= _MAX_FILES:
            break
    yield from found[:_MAX_FILES]


def _check_texts(
    host: Host, texts: list[_Text], entries: dict[str, list[ServerEntry]], context: DoctorContext
) -> Iterator[Finding]:
    """Check the texts that a host reads.

    Args:
        host: the assistant.
        texts: the texts of all hosts.
        entries: the valid entries of each connected host.
        context: the project.
    """
    read = [text for text in texts if host.name in text.hosts]
    servers = _list_known_servers(host, context)
    connected = tuple(entry.state.server for entry in entries.get(host.name, ()))
    if not connected:
        yield from _check_unconnected(host, _leave_out_shared(host, read, entries, context), servers, entries, context)
        return
    for text in read:
        for server in sorted({server for server, _ in _list_calls(text)} - servers):
            yield _report_unknown_server(host, text, server, connected, context)
        yield from _report_unknown_tools(text, servers)


def _check_unconnected(
    host: Host, texts: list[_Text], servers: set[str], entries: dict[str, list[ServerEntry]], context: DoctorContext
) -> Iterator[Finding]:
    if any(state.status != "absent" for state in read_host_states(host, context.root, context.person)):
        return  # the entry is invalid, which another check reports
    written = {extra.path for found in entries.values() for extra in found[0].host.extras}
    for text in texts:
        named = {server for server, _ in _list_calls(text)} - servers
        # A text that `aur init` wrote for another assistant names the tools too, and asks for no entry here.
        is_ours = text.path not in written and _TOOL_NAME.search(text.text)
        for server in sorted(named) or (["aurora"] if is_ours else []):
            yield _report_unknown_server(host, text, server, (), context)


def _leave_out_shared(
    host: Host, texts: list[_Text], entries: dict[str, list[ServerEntry]], context: DoctorContext
) -> list[_Text]:
    """Leave out the shared texts of a host without an entry, unless it alone is in use."""
    is_used = bool(find_evidence(host, context.root, context.person))
    return [text for text in texts if len(text.hosts) == 1 or (is_used and not entries.keys() & set(text.hosts))]


def _list_calls(text: _Text) -> list[tuple[str, str]]:
    """List the servers of Aurora's that a text names, each with the tool."""
    found = set()
    for call in _TOOL_CALL.finditer(text.text):
        server, separator, tool = call["words"].partition("__")
        # Calls of other servers are none of this check's business.
        if separator and tool and "aurora" in server:
            found.add((server, tool))
    return sorted(found)


def _report_unknown_tools(text: _Text, servers: set[str]) -> Iterator[Finding]:
    step = f"Name one of {', '.join(DEFAULT_TOOLS)} in {text.path}, or add `--toolsets all` to the server's command."
    for server, tool in _list_calls(text):
        if server in servers and tool not in DEFAULT_TOOLS:
            message = f'{text.path}: the {text.kind} refers to the tool "{tool}", which the server does not offer'
            yield report_warning("mcp.references.tool", message, step)


def _report_unknown_server(
    host: Host, text: _Text, server: str, connected: tuple[str, ...], context: DoctorContext
) -> Finding:
    reference = f'{text.path}: the {text.kind} refers to the MCP server "{server}"'
    message = f"{reference}, which is not in the configuration of"
    if connected:
        return report_warning(
            "mcp.references.server",
            f"{message} {host.title}",
            f'Name the server "{connected[0]}" in {text.path}.',
        )
    is_user_file = text.path.startswith("~/")
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
        # A host reads the user's file as well, also where Aurora has no entry in it.
        scopes.add("person")
    return {name for scope in scopes for name in read_server_entries(host, scope, context)}


def _report_planned_changes(entry: ServerEntry, context: DoctorContext) -> Iterator[Finding]:
    """Report each text that `aur init` would write, or could not."""
    host, state = entry.host, entry.state
    plan = plan_host(host, context, user=state.scope == "person")
    for change in plan.changes:
        reasons = ", ".join(change.reasons)
        current = read_text_file(change.display_path, context)
        kind, message = "mcp.references.older", "is of an earlier version"
        # A file without the word was never one of Aurora's, so its text is missing and not old.
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
