"""Paths that belong to assistants: files and folders that make an assistant do something."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .registry import HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .host import Host
    from .user_paths import UserPaths


def find_path_owner(path: Path, root: Path, person: UserPaths) -> str:
    """Return the title of the assistant whose configuration a path is, or would be; empty for none.

    Args:
        path: absolute, its folder resolved.
        root: the project's folder, resolved.
        person: the user's paths.
    """
    wanted = _fold(path)
    for host in HOSTS:
        for owned in _iter_owned(host, root, person):
            if wanted == owned or wanted.startswith(owned.rstrip("/") + "/"):
                return host.title
    return ""


def _iter_owned(host: Host, root: Path, person: UserPaths) -> Iterator[str]:
    """Yield the files of a host and, of those in a hidden folder, the whole folder."""
    for written in (*host.project, *host.marks, host.user, *(extra.path for extra in host.extras)):
        if written.startswith(("~/", "{")):
            yield _fold(Path(os.path.realpath(person.resolve_path(written))))
        else:
            first = written.partition("/")[0]
            yield _fold(root / (first if first.startswith(".") else written))


def _fold(path: Path) -> str:
    """Return the path for comparison; macOS and Windows do not tell cases apart."""
    return path.as_posix().casefold()
