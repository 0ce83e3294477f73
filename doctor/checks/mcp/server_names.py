"""Servers that the frontmatter of an agent, or settings, name without a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.hosts.agents import parse_frontmatter
from aurora.hosts.formats import ConfigFileError, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS_KIND = "settings file"
_AGENT_KEYS = ("mcp-servers", "mcpServers")
_SETTINGS_KEY = "enabledMcpjsonServers"
"""Servers of `.mcp.json` that the person has approved; those refused are no references."""
_MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class NamedServers:
    """Servers that a text names without a tool.

    Attributes:
        defined: those that the text configures itself.
        expected: those that must be configured elsewhere, in the order of the text, each once.
        text: the text.
        start: the offset of the first key that names servers.
    """

    defined: frozenset[str] = frozenset()
    expected: tuple[str, ...] = ()
    text: str = ""
    start: int = 0

    def find_offset(self, name: str) -> int:
        """Return the offset of a name; that of the key if the name is written with escapes."""
        found = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])").search(self.text, self.start)
        return found.start() if found else self.start


def read_named_servers(kind: str, text: str) -> NamedServers:
    """Read the servers that an agent or a settings file names; none if it is invalid."""
    keys = {"agent": _AGENT_KEYS, SETTINGS_KIND: (_SETTINGS_KEY,)}.get(kind, ())
    starts = [offset for offset in map(text.find, keys) if offset >= 0]
    if not starts:
        return NamedServers()
    values = _parse_settings(text) if kind == SETTINGS_KIND else parse_frontmatter(text).values
    defined: dict[str, None] = {}
    expected: dict[str, None] = {}
    for key in keys:
        for name, is_defined in _iter_entries(values.get(key), is_settings=kind == SETTINGS_KIND):
            if name and len(name) <= _MAX_LENGTH:
                (defined if is_defined else expected)[name] = None
    return NamedServers(frozenset(defined), tuple(expected), text, min(starts))


def _iter_entries(section: Any, *, is_settings: bool) -> Iterator[tuple[str, bool]]:
    """Yield each name, and whether the section configures that server.

    Settings have a list of names. An agent has a name, a list of names and mappings, or a mapping; a name with a
    mapping as its value is configured there.
    """
    if is_settings and not isinstance(section, list):
        return
    for entry in section if isinstance(section, list) else [section]:
        if isinstance(entry, str):
            yield entry.strip(), False
        elif isinstance(entry, dict) and not is_settings:
            yield from ((name, isinstance(value, dict)) for name, value in entry.items() if isinstance(name, str))


def _parse_settings(text: str) -> dict[str, Any]:
    try:
        values = parse_json(text.removeprefix("\ufeff"), "jsonc").value
    except ConfigFileError:
        return {}
    return values if isinstance(values, dict) else {}
