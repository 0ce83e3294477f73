"""The entries that start Aurora in this project, as the assistants' files have them now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.hosts import HOSTS, Launch, states
from aurora.hosts.config.draft import Draft
from aurora.hosts.config.entries import file_of
from aurora.hosts.formats.errors import Broken
from aurora.hosts.formats.formats import read_entries
from aurora.hosts.launch import about
from aurora.memory import database_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.doctor.context import Subject
    from aurora.hosts import Host, State
    from aurora.hosts.host import Scope

_ENVIRONMENTS = ("env", "environment")
_FOLDERS = ("cwd", "working_directory")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a host that has a good entry.

    Attributes:
        host: whose.
        state: where it stands, and the words that start the server.
        raw: the entry as it is written.
    """

    host: Host
    state: State
    raw: Mapping[str, Any]

    @property
    def environ(self) -> dict[str, str]:
        """What the entry adds to the server's environment."""
        said: dict[Any, Any] = next((self.raw[key] for key in _ENVIRONMENTS if isinstance(self.raw.get(key), dict)), {})
        return {str(name): str(value) for name, value in said.items() if isinstance(value, str)}

    @property
    def off(self) -> bool:
        """Whether the host is told not to start it."""
        return self.raw.get("disabled") is True or self.raw.get("enabled") is False


def entries(subject: Subject) -> tuple[Entry, ...]:
    """Every good entry, in the order of the hosts."""
    return tuple(
        Entry(host, state, raw(host, state.scope, subject).get(state.server) or {})
        for host in HOSTS
        for state in states(host, subject.root, subject.person)
        if state.status == "connected"
    )


def raw(host: Host, scope: Scope, subject: Subject) -> dict[str, Any]:
    """The servers that a file names; none when it cannot be read."""
    draft = Draft(subject.root, subject.person)
    try:
        found = read_entries(host, draft.text(draft.place(file_of(host, scope, draft))) or "")
    except Broken:
        return {}
    return {name: entry if isinstance(entry, dict) else {} for name, entry in found.items()}


def own(subject: Subject) -> tuple[str, ...]:
    """The words that start this very installation's server."""
    return (*Launch.of(subject.person).own, "mcp")


def database_of(entry: Entry, subject: Subject) -> Path | None:
    """The database that an entry's server opens, so far as the entry decides it.

    None when it leaves that to the environment, or says it in a way that the host alone can resolve.
    """
    named = entry.environ.get("AURORA_DB", "").strip()
    if not named or "${" in named:
        return None
    said = about(entry.state.argv) or next(
        (one for one in (entry.raw.get(key) for key in _FOLDERS) if isinstance(one, str) and "${" not in one), None
    )
    folder = Path(said).expanduser() if said else subject.root
    return database_path(subject.root / folder, {"AURORA_DB": named})
