"""Removal of partial files next to the configuration files of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import remove_old_partials
from aurora.faults.paths import is_inside

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aurora.hosts.host import Host


def remove_leftovers(root: Path, hosts: Iterable[Host]) -> None:
    """Delete what killed processes left next to the files of these hosts in a project."""
    names = [name for host in hosts for name in _list_files(host) if not name.startswith("~/")]
    for folder in {(root / name).parent for name in names}:
        if not folder.is_symlink() and is_inside(root, folder):
            remove_old_partials(folder)


def _list_files(host: Host) -> list[str]:
    allowance = [host.allowance.path] if host.allowance is not None else []
    hooks = [host.hooks.path] if host.hooks is not None else []
    return [*host.project, *hooks, *(extra.path for extra in host.extras), *allowance]
