"""The entries that start Aurora in this project, as the assistants' files have them now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.hosts import HOSTS, Launch, read_host_states, read_project_option
from aurora.hosts.config import Draft, choose_file
from aurora.hosts.formats import ConfigFileError, read_entries
from aurora.memory import database_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.doctor.context import DoctorContext
    from aurora.hosts import Host, HostState, Scope

_ENVIRONMENT_KEYS = ("env", "environment")
_WORKING_DIRECTORY_KEYS = ("cwd", "working_directory")


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A file of a host that has a good entry.

    Attributes:
        host: whose.
        state: where it stands, and the words that start the server.
        raw: the entry as it is written.
    """

    host: Host
    state: HostState
    raw: Mapping[str, Any]

    @property
    def environ(self) -> dict[str, str]:
        """What the entry adds to the server's environment."""
        said: dict[Any, Any] = next(
            (self.raw[key] for key in _ENVIRONMENT_KEYS if isinstance(self.raw.get(key), dict)), {}
        )
        return {str(name): str(value) for name, value in said.items() if isinstance(value, str)}

    @property
    def is_disabled(self) -> bool:
        """Whether the host is told not to start it."""
        return self.raw.get("disabled") is True or self.raw.get("enabled") is False


def list_entries(subject: DoctorContext) -> tuple[ServerEntry, ...]:
    """Every good entry, in the order of the hosts."""
    return tuple(
        ServerEntry(host, state, read_server_entries(host, state.scope, subject).get(state.server) or {})
        for host in HOSTS
        for state in read_host_states(host, subject.root, subject.person)
        if state.status == "connected"
    )


def read_server_entries(host: Host, scope: Scope, subject: DoctorContext) -> dict[str, Any]:
    """The servers that a file names; none when it cannot be read."""
    draft = Draft(subject.root, subject.person)
    try:
        found = read_entries(host, draft.read_text(draft.resolve_path(choose_file(host, scope, draft))) or "")
    except ConfigFileError:
        return {}
    return {name: entry if isinstance(entry, dict) else {} for name, entry in found.items()}


def build_own_command(subject: DoctorContext) -> tuple[str, ...]:
    """The words that start this very installation's server."""
    return (*Launch.detect(subject.person).own, "mcp")


def resolve_entry_database(entry: ServerEntry, subject: DoctorContext) -> Path | None:
    """The database that an entry's server opens, so far as the entry decides it.

    None when it leaves that to the environment, or says it in a way that the host alone can resolve.
    """
    named = entry.environ.get("AURORA_DB", "").strip()
    if not named or "${" in named:
        return None
    said = read_project_option(entry.state.argv) or next(
        (
            one
            for one in (entry.raw.get(key) for key in _WORKING_DIRECTORY_KEYS)
            if isinstance(one, str) and "${" not in one
        ),
        None,
    )
    folder = Path(said).expanduser() if said else subject.root
    return database_path(subject.root / folder, {"AURORA_DB": named})
