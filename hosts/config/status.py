"""How a host stands to Aurora in one project, as its files say now."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aurora.hosts.formats.errors import Broken
from aurora.hosts.formats.formats import read_entries
from aurora.hosts.launch import SERVER, argv_of, executable, is_bare, is_ours, missing

from .draft import Draft
from .entries import file_of, serves

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.hosts.host import Host, Scope
    from aurora.hosts.user_paths import Person

Standing = Literal["connected", "absent", "incomplete", "stale", "taken", "broken"]
"""All is there; no entry; fields are missing; its program is gone; the name is another server's; not readable."""


@dataclass(frozen=True, slots=True)
class State:
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
    status: Standing
    server: str = ""
    argv: tuple[str, ...] = ()
    message: str = ""
    help: str = ""


def states(host: Host, root: Path, person: Person) -> tuple[State, ...]:
    """The host's file in the project, and the person's own where it says something; one is enough to be connected.

    Args:
        host: which.
        root: the project's folder, resolved.
        person: whose files are looked through.

    Returns:
        One or two; nothing is raised for a file.
    """
    own = state(host, root, person, "person")
    if not host.project:
        return (own,)
    shared = state(host, root, person, "project")
    if own.status == "absent":
        return (shared,)
    return (own,) if (shared.status, own.status) == ("absent", "connected") else (shared, own)


def state(host: Host, root: Path, person: Person, scope: Scope) -> State:
    """How one file of a host stands; nothing is raised for it.

    Args:
        host: which; with a file of that scope.
        root: the project's folder, resolved.
        person: whose files are looked through.
        scope: the project's file or the person's.
    """
    draft = Draft(root, person)
    written = file_of(host, scope, draft)
    shown = written
    try:
        path = draft.place(written)
        shown = draft.shown(path)
        entries = read_entries(host, draft.text(path) or "")
    except Broken as broken:
        if scope == "person" and not os.path.lexists(person.place(written)):
            return _judged(host, scope, shown, {}, draft)  # what lies where nobody can look is as good as absent
        place = f"{shown}:{broken.line}:{broken.column}" if broken.line else shown
        return State(
            host.name,
            scope,
            shown,
            "broken",
            message=f"{place}: {broken.message}",
            help=f"{broken.help or f'Mend {shown}.'} Then say `aur init --hosts {host.name}`.",
        )
    return _judged(host, scope, shown, entries, draft)


def _judged(host: Host, scope: Scope, file: str, entries: dict[str, Any], draft: Draft) -> State:
    again = f"Say `aur init --hosts {host.name}{' --user' if scope == 'person' and host.project else ''}`."
    name = next((name for name, entry in entries.items() if _is_here(host, scope, draft.root, name, entry)), None)
    if name is None:
        if scope == "project" and SERVER in entries:
            if not argv_of(host, entries[SERVER]):
                said = f'{file}: the entry "{SERVER}" does not say what it starts'
                return State(host.name, scope, file, "incomplete", SERVER, message=said, help=again)
            said = f'{file}: the entry "{SERVER}" starts {_other(argv_of(host, entries[SERVER]))}'
            return State(host.name, scope, file, "taken", SERVER, message=said, help="Call that entry something else.")
        return State(host.name, scope, file, "absent", help=again)
    argv, lacking = argv_of(host, entries[name]), missing(host, entries[name])
    name = name.encode("utf-8", "replace").decode("utf-8")  # JSON can hold half a character
    if lacking:
        said = f'{file}: the entry "{name}" lacks {", ".join(f"{key!r}" for key in lacking)}'.replace("'", '"')
        return State(host.name, scope, file, "incomplete", name, argv, said, again)
    if executable(argv, draft.root, draft.person) is None:
        said = f'{file}: the entry "{name}" starts "{argv[0]}", which is no program that can be started here'
        on_path = f"Put `{argv[0]}` on PATH; `uv tool install` and pipx do."
        return State(host.name, scope, file, "stale", name, argv, said, on_path if is_bare(argv) else again)
    return State(host.name, scope, file, "connected", name, argv)


def _other(argv: tuple[str, ...]) -> str:
    return "Aurora for another project" if is_ours(argv) else f'another program, "{argv[0][:80]}"'


def _is_here(host: Host, scope: Scope, root: Path, name: str, entry: Any) -> bool:
    argv = argv_of(host, entry)
    return is_ours(argv) and (name == SERVER or scope == "person") and serves(root, argv)
