"""Host detection by project files, user files, and programs on PATH."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, did_you_mean, quote_names

from .registry import HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .host import Host
    from .user_paths import UserPaths


def find_evidence(host: Host, root: Path, person: UserPaths) -> tuple[str, ...]:
    """List the signs that a host is in use; empty if there are none."""
    found: list[str] = []
    for mark in host.marks:
        own = mark.startswith(("~/", "{"))
        path = person.resolve_path(mark) if own else root / mark
        if os.access(path, os.F_OK):  # `Path.exists` raises for an unreadable folder
            found.append(person.format_path(path) if own else mark)
    found += [f"the program {name}" for name in host.programs if shutil.which(name, path=person.path)]
    return tuple(found)


def find_used_hosts(root: Path, person: UserPaths) -> tuple[Host, ...]:
    """Return the hosts for which any sign is found."""
    return tuple(host for host in HOSTS if find_evidence(host, root, person))


def get_hosts(names: Iterable[str]) -> tuple[Host, ...]:
    """Return the hosts with these names, each once.

    Raises:
        Fault: NOT_FOUND, with the nearest name.
    """
    known = {host.name: host for host in HOSTS}
    chosen: dict[str, Host] = {}
    for name in names:
        if name not in known:
            meant = did_you_mean(name[:80], known)
            raise Fault(
                Code.NOT_FOUND,
                f'there is no assistant "{name[:80]}"' + (f"; {meant}" if meant else ""),
                help=f"The assistants are {quote_names(known)}.",
                details={"host": name[:80], "choices": sorted(known)},
            )
        chosen[name] = known[name]
    return tuple(chosen.values())
