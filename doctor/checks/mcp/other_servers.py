"""Check that the servers of other programs that texts name are configured."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.doctor.finding import report_nothing, report_skip, report_warning
from aurora.hosts import HOSTS
from aurora.hosts.formats import ConfigFileError, parse_json

from .entries import read_server_entries
from .server_names import SETTINGS_KIND, read_named_servers
from .texts import find_project_texts, format_location, read_text_file

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding
    from aurora.hosts import AssistantText, Host

    from .server_names import NamedServers

_REFERENCE = re.compile(r"(?<![\w-])mcp__(?P<words>[A-Za-z0-9][\w-]{0,199})")
"""Tool, or all tools of a server, as Claude Code, Codex and Qwen Code name them."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
"""Characters of a server's name that the hosts replace in the name of a tool."""
_BUILT_IN = ("ide", "claude-in-chrome", "computer-use")
_PREFIXES = ("plugin_", "claude_ai_")
"""Servers that no configuration file names: of the host itself, of its plug-ins, of the person's account."""
_PLACEHOLDERS = frozenset({"name", "server", "server-name", "server_name", "servername", "your-server", "your_server"})
"""Names that documents use in examples."""
_CLAUDE_USER_FILE = "~/.claude.json"
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
_MAX_SERVERS = 5
"""Servers of one text that are reported by name."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """Readable file that may name servers, and the names of the hosts that read it."""

    display_path: str
    kind: str
    hosts: tuple[str, ...]
    text: str


def check_other_servers(context: DoctorContext) -> Iterator[Finding]:
    """Report each server that a text names and that no assistant that reads the text has."""
    known = {host.name: _normalize_names(_list_servers(host, context)) for host in HOSTS}
    readers = tuple(_iter_readers(context))
    if not readers:
        yield report_nothing("there are no slash commands, skills, agents, notes or settings that could name a server")
    for reader in readers:
        yield from _check_reader(reader, known)


def _check_reader(reader: _Reader, known: Mapping[str, frozenset[str]]) -> Iterator[Finding]:
    titles = {host.name: host.title for host in HOSTS}
    named = read_named_servers(reader.kind, reader.text)
    usable = _normalize_names(named.defined).union(*(known[host] for host in reader.hosts))
    calls = _find_missing_calls(reader, usable)
    names = _find_missing_names(named, usable)
    missing = {**calls, **names}
    for key in list(missing)[:_MAX_SERVERS]:
        server = names.get(key, key)
        offset = named.find_offset(server) if key in names else calls[key]
        owners = [titles[name] for name, servers in known.items() if _is_known(key, servers)]
        yield _report_server(reader, server, offset, owners, [titles[name] for name in reader.hosts])
    if len(missing) > _MAX_SERVERS:
        count = len(missing) - _MAX_SERVERS
        message = f"{reader.display_path}: the {reader.kind} refers to {count} more MCP servers that are not configured"
        yield report_warning(
            "mcp.servers.missing", message, f"Configure them, or remove them from {reader.display_path}."
        )


def _iter_readers(context: DoctorContext) -> Iterator[_Reader]:
    for text in find_project_texts(context):
        yield _to_reader(text)
    for written in _SETTINGS:
        found = read_text_file(written, context)
        if found is not None:
            yield _Reader(written, SETTINGS_KIND, ("claude-code",), found[1])


def _to_reader(text: AssistantText) -> _Reader:
    return _Reader(text.display_path, text.kind, text.hosts, text.text)


def _find_missing_names(named: NamedServers, usable: Container[str]) -> dict[str, str]:
    """Find the servers that are named without a tool and not usable, by their names in the names of tools."""
    missing: dict[str, str] = {}
    for name in named.expected:
        key = _normalize_name(name)
        if key not in usable and key not in missing and not _is_exempt(key):
            missing[key] = name if name.isprintable() else key
    return missing


def _find_missing_calls(reader: _Reader, usable: Container[str]) -> dict[str, int]:
    """Find the servers of named tools that are not usable, each with the offset of its first tool."""
    missing: dict[str, int] = {}
    for found in _REFERENCE.finditer(reader.text):
        words = found["words"]
        server = words.partition("__")[0].rstrip("_")
        is_exempt = server.lower() in _PLACEHOLDERS or _is_exempt(server)
        if server not in missing and not is_exempt and not _is_known(words, usable):
            missing[server] = found.start()
    return missing


def _is_exempt(server: str) -> bool:
    """Return whether another check reports the server, or no file could name it."""
    return "aurora" in server or server in _BUILT_IN or server.startswith(_PREFIXES)


def _is_known(words: str, servers: Container[str]) -> bool:
    """Return whether `server__tool`, or `server` alone, names one of the servers.

    The name of a server may contain `__` itself.
    """
    parts = words.split("__")
    return any("__".join(parts[:count]) in servers for count in range(1, len(parts) + 1))


def _normalize_names(servers: Iterable[str]) -> frozenset[str]:
    """Return the names as they occur in the names of tools."""
    return frozenset(_normalize_name(name) for name in servers)


def _normalize_name(name: str) -> str:
    return _UNSAFE.sub("_", name)


def _report_server(reader: _Reader, server: str, offset: int, owners: list[str], readers: list[str]) -> Finding:
    place = format_location(reader.display_path, reader.text, offset)
    message = f'{place}: the {reader.kind} refers to the MCP server "{server}"'
    if reader.display_path.startswith("~/"):  # the user's text serves every project, not necessarily this one
        return report_skip("mcp.servers.own", f"{message}, which this project does not have")
    there = f"{readers[0]}'s configuration" if len(readers) == 1 else "the configuration of an assistant that reads it"
    remedy = f'Add the server "{server}" to {there}, or remove the reference from {reader.display_path}.'
    if owners:
        return report_warning(
            "mcp.servers.elsewhere", f"{message}, which {owners[0]} has and {' and '.join(readers[:2])} lacks", remedy
        )
    return report_warning("mcp.servers.missing", f"{message}, which is configured nowhere", remedy)


def _list_servers(host: Host, context: DoctorContext) -> set[str]:
    """List the servers that a host knows, of the project's file and of the user's."""
    servers = set(read_server_entries(host, "person", context))
    if host.project:
        servers.update(read_server_entries(host, "project", context))
    if host.name == "claude-code":
        servers.update(_list_claude_servers(context))
    if host.name == "copilot-cli":  # it reads Claude Code's file of the project, too
        servers.update(_list_keys(_read_json(".mcp.json", context), "mcpServers"))
    return servers


def _list_claude_servers(context: DoctorContext) -> Iterator[str]:
    """List the servers that `claude mcp add` has stored for the user in any project."""
    projects = _read_json(_CLAUDE_USER_FILE, context).get("projects")
    for project in projects.values() if isinstance(projects, dict) else ():
        if isinstance(project, dict):
            yield from _list_keys(project, "mcpServers")


def _read_json(written: str, context: DoctorContext) -> Mapping[str, Any]:
    found = read_text_file(written, context)
    try:
        value = parse_json(found[1].removeprefix("\ufeff"), "jsonc").value if found else {}
    except ConfigFileError:
        return {}
    return value if isinstance(value, dict) else {}


def _list_keys(values: Mapping[str, Any], key: str) -> Iterator[str]:
    section = values.get(key)
    return iter(section) if isinstance(section, dict) else iter(())
