"""Choice of a host's configuration file and of the project's entry in it."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.hosts.launch import SERVER_NAME, is_aurora_command, read_argv, read_project_option
from aurora.hosts.remote import is_aurora_url, read_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.hosts.host import Host, Scope

    from .draft import Draft

_MAX_NAME_LENGTH = 24
"""Characters of a project's name: a host prefixes each tool with the server's name, and some allow 60 together."""


def choose_file(host: Host, scope: Scope, draft: Draft) -> str:
    """Choose the configuration file: the project's first existing one."""
    if scope == "person":
        return host.user
    return next((file for file in host.project if os.access(draft.root / file, os.F_OK)), host.project[0])


def choose_entry_name(scope: Scope, root: Path, entries: Mapping[str, Any], host: Host) -> str:
    """Choose the name of this project's entry.

    In a project's file the name is `aurora`. A user's file contains several projects: an existing entry keeps its name,
    a new one contains the project's name, with a hash of its path if that name exists.
    """
    if scope == "project":
        return SERVER_NAME
    existing = find_own_entries(host, scope, root, entries)
    if existing:
        return existing[0]
    name = f"{SERVER_NAME}-{_make_slug(root)}"
    return _make_exact_name(root) if name in entries else name


def choose_http_name(scope: Scope, root: Path) -> str:
    """Choose the name of this project's entry for a server over HTTP.

    An address does not tell the project's folder, so in a user's file the name does, by a hash of its path.
    """
    return SERVER_NAME if scope == "project" else _make_exact_name(root)


def get_entry(entries: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return the entry with this name; an empty one for a wrong type."""
    if name not in entries:
        return None
    entry = entries[name]
    return entry if isinstance(entry, dict) else {}


def find_own_entries(host: Host, scope: Scope, root: Path, entries: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of Aurora's entries for this project."""
    found = []
    for name, entry in entries.items():
        argv = read_argv(host, entry)
        if is_own_http_entry(host, scope, root, name, entry) or (
            is_aurora_command(argv) and (name == SERVER_NAME if scope == "project" else is_for_project(root, argv))
        ):
            found.append(name)
    return tuple(found)


def is_own_http_entry(host: Host, scope: Scope, root: Path, name: str, entry: Any) -> bool:
    """Check by name and address that an entry leads this project to Aurora over HTTP."""
    return name == choose_http_name(scope, root) and not read_argv(host, entry) and is_aurora_url(read_url(host, entry))


def is_for_project(root: Path, argv: tuple[str, ...]) -> bool:
    """Check whether a command line names this project."""
    project = read_project_option(argv)
    return project is not None and Path(project).expanduser() == root


def can_serve(root: Path, argv: tuple[str, ...]) -> bool:
    """Check whether a server started with this command line serves the project."""
    return read_project_option(argv) is None or is_for_project(root, argv)


def _make_exact_name(root: Path) -> str:
    """Make a name that only this folder has."""
    return f"{SERVER_NAME}-{_make_slug(root)}-{hashlib.sha256(str(root).encode('utf-8')).hexdigest()[:4]}"


def _make_slug(root: Path) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", root.name).strip("-").lower()[:_MAX_NAME_LENGTH] or "project"
