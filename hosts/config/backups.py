"""Copies of a person's files as they were, each content once, in `.aurora/backups/hosts/`."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

from .atomic_write import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.hosts.user_paths import UserPaths

BACKUP_FOLDER = ".aurora/backups/hosts"
_CREATED_FOLDERS = "folders"
_PRIVATE_MODE = 0o600
"""A person's configuration may hold keys."""


def save_backup(path: Path, data: bytes, root: Path, person: UserPaths) -> Path:
    """Copy what the file holds, unless this very content is kept already.

    Raises:
        OSError: when it cannot be written.
    """
    place = _get_backup_path(path, root, person)
    copy = place.with_name(f"{place.name}.{hashlib.sha256(data).hexdigest()[:12]}")
    if not copy.exists():
        write_atomically(copy, data, _PRIVATE_MODE)
    return copy


def iter_backups(path: Path, root: Path, person: UserPaths) -> Iterator[bytes]:
    """What was kept of the file, the latest first; a copy that cannot be read is left out."""
    place = _get_backup_path(path, root, person)
    found: list[tuple[int, bytes]] = []
    for copy in sorted(place.parent.glob("*")):
        if copy.name.startswith(f"{place.name}.") and len(copy.name) == len(place.name) + 13:
            with contextlib.suppress(OSError):
                found.append((copy.stat().st_mtime_ns, copy.read_bytes()))
    yield from (data for _, data in sorted(found, reverse=True))


def record_folder(folder: Path, root: Path) -> None:
    """Remember that a folder was not there before, in the project or among a person's own.

    Raises:
        OSError: when that cannot be written.
    """
    folders = {*read_created_folders(root), folder}
    names = sorted((one.relative_to(root) if one.is_relative_to(root) else one).as_posix() for one in folders)
    write_atomically(
        root / BACKUP_FOLDER / _CREATED_FOLDERS,
        "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"),
    )


def read_created_folders(root: Path) -> frozenset[Path]:
    """The folders that were not there before."""
    try:
        noted = (root / BACKUP_FOLDER / _CREATED_FOLDERS).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return frozenset()
    return frozenset(root / name for name in noted.split("\n") if name)


def _get_backup_path(path: Path, root: Path, person: UserPaths) -> Path:
    folder = root / BACKUP_FOLDER
    if path.is_relative_to(root):
        return folder / "project" / path.relative_to(root)
    if path.is_relative_to(person.home):
        return folder / "person" / path.relative_to(person.home)
    return folder / "elsewhere" / hashlib.sha256(str(path.parent).encode("utf-8")).hexdigest()[:12] / path.name
