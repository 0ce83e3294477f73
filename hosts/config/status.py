"""How a host stands to Aurora in one project, as its files say now."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.hosts.formats import ConfigFileError, read_entries
from aurora.hosts.launch import SERVER_NAME, find_executable, find_missing_fields, is_aurora_command, is_bare, read_argv

from .draft import Draft
from .entries import can_serve, choose_file

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.hosts.host import Host, Scope
    from aurora.hosts.user_paths import UserPaths

HostStatus = Literal["connected", "absent", "incomplete", "stale", "taken", "broken"]
"""All is there; no entry; fields are missing; its program is gone; the name is another server's; not readable."""


@dataclass(frozen=True, slots=True)
class HostState:
    """One file of one host.

    Attributes:
        host: the host's name.
        scope: whether the file belongs to the project or to the person.
        file: what a person calls the file: from the project's root, or `~/…`.
        status: how it stands.
        server: what the entry is called; empty without one.
        argv: the words that start the server; empty without an entry.
        message: what is wrong, with the place; empty when nothing is.
        help: the way out.
    """

    host: str
    scope: Scope
    file: str
    status: HostStatus
    server: str = ""
    argv: tuple[str, ...] = ()
    message: str = ""
    help: str = ""


def read_host_states(host: Host, root: Path, person: UserPaths) -> tuple[HostState, ...]:
    """The host's file in the project, and the person's own where it says something; one is enough to be connected.

    Args:
        host: which.
        root: the project's folder, resolved.
        person: whose files are looked through.

    Returns:
        One or two; nothing is raised for a file.
    """
    own = read_host_state(host, root, person, "person")
    if not host.project:
        return (own,)
    shared = read_host_state(host, root, person, "project")
    if own.status == "absent":
        return (shared,)
    return (own,) if (shared.status, own.status) == ("absent", "connected") else (shared, own)


def read_host_state(host: Host, root: Path, person: UserPaths, scope: Scope) -> HostState:
    """How one file of a host stands; nothing is raised for it.

    Args:
        host: which; with a file of that scope.
        root: the project's folder, resolved.
        person: whose files are looked through.
        scope: the project's file or the person's.
    """
    draft = Draft(root, person)
    written = choose_file(host, scope, draft)
    shown = written
    try:
        path = draft.resolve_path(written)
        shown = draft.format_path(path)
        entries = read_entries(host, draft.read_text(path) or "")
    except ConfigFileError as broken:
        if scope == "person" and not os.path.lexists(person.resolve_path(written)):
            return _classify_entries(
                host, scope, shown, {}, draft
            )  # what lies where nobody can look is as good as absent
        place = f"{shown}:{broken.line}:{broken.column}" if broken.line else shown
        return HostState(
            host.name,
            scope,
            shown,
            "broken",
            message=f"{place}: {broken.message}",
            help=f"{broken.help or f'Mend {shown}.'} Then say `aur init --hosts {host.name}`.",
        )
    return _classify_entries(host, scope, shown, entries, draft)


def _classify_entries(host: Host, scope: Scope, file: str, entries: dict[str, Any], draft: Draft) -> HostState:
    again = f"Say `aur init --hosts {host.name}{' --user' if scope == 'person' and host.project else ''}`."
    name = next(
        (name for name, entry in entries.items() if _is_for_project(host, scope, draft.root, name, entry)), None
    )
    if name is None:
        if scope == "project" and SERVER_NAME in entries:
            if not read_argv(host, entries[SERVER_NAME]):
                said = f'{file}: the entry "{SERVER_NAME}" does not say what it starts'
                return HostState(host.name, scope, file, "incomplete", SERVER_NAME, message=said, help=again)
            said = (
                f'{file}: the entry "{SERVER_NAME}" starts {_describe_command(read_argv(host, entries[SERVER_NAME]))}'
            )
            return HostState(
                host.name, scope, file, "taken", SERVER_NAME, message=said, help="Call that entry something else."
            )
        return HostState(host.name, scope, file, "absent", help=again)
    argv, lacking = read_argv(host, entries[name]), find_missing_fields(host, entries[name])
    name = name.encode("utf-8", "replace").decode("utf-8")  # JSON can hold half a character
    if lacking:
        said = f'{file}: the entry "{name}" lacks {", ".join(f"{key!r}" for key in lacking)}'.replace("'", '"')
        return HostState(host.name, scope, file, "incomplete", name, argv, said, again)
    if find_executable(argv, draft.root, draft.person) is None:
        said = f'{file}: the entry "{name}" starts "{argv[0]}", which is no program that can be started here'
        on_path = f"Put `{argv[0]}` on PATH; `uv tool install` and pipx do."
        return HostState(host.name, scope, file, "stale", name, argv, said, on_path if is_bare(argv) else again)
    return HostState(host.name, scope, file, "connected", name, argv)


def _describe_command(argv: tuple[str, ...]) -> str:
    return "Aurora for another project" if is_aurora_command(argv) else f'another program, "{argv[0][:80]}"'


def _is_for_project(host: Host, scope: Scope, root: Path, name: str, entry: Any) -> bool:
    argv = read_argv(host, entry)
    return is_aurora_command(argv) and (name == SERVER_NAME or scope == "person") and can_serve(root, argv)
