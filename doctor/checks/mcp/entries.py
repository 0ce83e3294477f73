"""Entries in the assistants' files that start Aurora in this project, and what else they read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import read_value
from aurora.hosts import (
    HOSTS,
    ConfigFileError,
    Draft,
    Launch,
    choose_file,
    read_entries,
    read_host_states,
    read_project_option,
)
from aurora.memory import database_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.doctor.context import DoctorContext
    from aurora.hosts import Host, HostState, Scope

_ENVIRONMENT_KEYS = ("env", "environment")
_SERVER_SETTINGS = ("AURORA_DATABASE", "AURORA_PROJECT")
_WORKING_DIRECTORY_KEYS = ("cwd", "working_directory")


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """Valid entry in a host's configuration file.

    Attributes:
        host: the assistant.
        state: the file, and the command that starts the server.
        raw: the entry as written.
    """

    host: Host
    state: HostState
    raw: Mapping[str, Any]

    @property
    def environ(self) -> dict[str, str]:
        """Environment variables that the entry adds for the server."""
        for key in _ENVIRONMENT_KEYS:
            variables = self.raw.get(key)
            if isinstance(variables, dict):
                return {str(name): value for name, value in variables.items() if isinstance(value, str)}
        return {}

    @property
    def working_directory(self) -> str | None:
        """Working directory of the server, if the entry names it without a variable."""
        for key in _WORKING_DIRECTORY_KEYS:
            folder = self.raw.get(key)
            if isinstance(folder, str) and "${" not in folder:
                return folder
        return None

    @property
    def is_disabled(self) -> bool:
        """True when the entry tells the host not to start the server."""
        return self.raw.get("disabled") is True or self.raw.get("enabled") is False


def list_entries(context: DoctorContext) -> tuple[ServerEntry, ...]:
    """List the valid entries in the order of the hosts."""
    return tuple(
        ServerEntry(host, state, read_server_entries(host, state.scope, context).get(state.server) or {})
        for host in HOSTS
        for state in read_host_states(host, context.root, context.person)
        if state.status == "connected"
    )


def read_server_entries(host: Host, scope: Scope, context: DoctorContext) -> dict[str, Any]:
    """Read the servers that a file names; none when it cannot be read."""
    draft = Draft(context.root, context.person)
    try:
        found = read_entries(host, draft.read_text(draft.resolve_path(choose_file(host, scope, draft))) or "")
    except ConfigFileError:
        return {}
    return {name: entry if isinstance(entry, dict) else {} for name, entry in found.items()}


def read_text_file(written: str, context: DoctorContext) -> str | None:
    """Read the text of an assistant's file; None when it is missing or unreadable."""
    draft = Draft(context.root, context.person)
    try:
        return draft.read_text(draft.resolve_path(written))
    except ConfigFileError:
        return None


def build_own_command(context: DoctorContext) -> tuple[str, ...]:
    """Build the command that starts this installation's server."""
    return (*Launch.detect(context.person).own, "mcp")


def find_changed_settings(entry: ServerEntry, context: DoctorContext) -> tuple[str, ...]:
    """List the settings of the database server that an entry changes, by name.

    A value may have a password. The project counts only where a database server is used. A variable that only the
    host can expand is not compared.
    """
    there = {**context.environ, **{name: value for name, value in entry.environ.items() if "${" not in value}}
    values = {name: (read_value(name, context.environ), read_value(name, there)) for name in _SERVER_SETTINGS}
    changed = tuple(name for name, (here, served) in values.items() if here != served)
    return changed if any(values["AURORA_DATABASE"]) else ()


def resolve_entry_database(entry: ServerEntry, context: DoctorContext) -> Path | None:
    """Resolve the database that an entry's server opens.

    None when the entry leaves it to the environment, or names it with a variable that only the host can expand.
    """
    named = entry.environ.get("AURORA_DB", "").strip()
    if not named or "${" in named:
        return None
    project = read_project_option(entry.state.argv) or entry.working_directory
    folder = Path(project).expanduser() if project else context.root
    return database_path(context.root / folder, {"AURORA_DB": named})
