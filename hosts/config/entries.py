"""Which file of a host is meant, and which of its entries is this project's."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.hosts.launch import SERVER, about, argv_of, is_ours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.hosts.host import Host, Scope

    from .draft import Draft

_LONGEST = 24
"""Characters of a project's name: a host puts the server's name before each tool's, and some allow 60 together."""


def file_of(host: Host, scope: Scope, draft: Draft) -> str:
    """The file that is edited, as the host's data writes it: of the project's, the first that is there."""
    if scope == "person":
        return host.user
    return next((one for one in host.project if os.path.exists(draft.root / one)), host.project[0])  # noqa: PTH110 - never raises


def name_for(scope: Scope, root: Path, entries: Mapping[str, Any], host: Host) -> str:
    """What this project's entry is called.

    In a project's file that is `aurora`. In a person's own file several projects meet: there it keeps the name that it
    has, or carries the project's, with a mark of its path where another project is called the same.
    """
    if scope == "project":
        return SERVER
    there = ours_in(host, scope, root, entries)
    if there:
        return there[0]
    slug = re.sub(r"[^A-Za-z0-9]+", "-", root.name).strip("-").lower()[:_LONGEST] or "project"
    name = f"{SERVER}-{slug}"
    return f"{name}-{hashlib.sha256(str(root).encode('utf-8')).hexdigest()[:4]}" if name in entries else name


def entry_in(entries: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The entry of this name; an empty one when something else than an entry stands there."""
    if name not in entries:
        return None
    there = entries[name]
    return there if isinstance(there, dict) else {}


def ours_in(host: Host, scope: Scope, root: Path, entries: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the entries that are Aurora's for this project."""
    found = []
    for name, entry in entries.items():
        argv = argv_of(host, entry)
        if is_ours(argv) and (name == SERVER if scope == "project" else is_about(root, argv)):
            found.append(name)
    return tuple(found)


def is_about(root: Path, argv: tuple[str, ...]) -> bool:
    """Whether these words name this project."""
    said = about(argv)
    return said is not None and Path(said).expanduser() == root


def serves(root: Path, argv: tuple[str, ...]) -> bool:
    """Whether a server that is started so in this project would serve it."""
    return about(argv) is None or is_about(root, argv)
