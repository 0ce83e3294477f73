"""Backups of configuration files in `.aurora/backups/hosts/`, one per content."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

from aurora.faults import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.hosts.user_paths import UserPaths

BACKUP_FOLDER = ".aurora/backups/hosts"
_CREATED_FOLDERS = "folders"
_PRIVATE_MODE = 0o600
"""A user's configuration may contain API keys."""


def save_backup(path: Path, data: bytes, root: Path, person: UserPaths) -> Path:
    """Copy the file's content to the backups unless an equal copy exists.

    Raises:
        OSError: when it cannot be written.
    """
    place = _get_backup_path(path, root, person)
    copy = place.with_name(f"{place.name}.{hashlib.sha256(data).hexdigest()[:12]}")
    if not copy.exists():
        write_atomically(copy, data, _PRIVATE_MODE)
    return copy


def iter_backups(path: Path, root: Path, person: UserPaths) -> Iterator[bytes]:
    """Yield the backups of a file, newest first; skip unreadable copies."""
    place = _get_backup_path(path, root, person)
    found: list[tuple[int, bytes]] = []
    for copy in sorted(place.parent.glob("*")):
        if copy.name.startswith(f"{place.name}.") and len(copy.name) == len(place.name) + 13:
            with contextlib.suppress(OSError):
                found.append((copy.stat().st_mtime_ns, copy.read_bytes()))
    yield from (data for _, data in sorted(found, reverse=True))


def record_folder(folder: Path, root: Path) -> None:
    """Record a folder that Aurora creates, so that removal can delete it.

    Raises:
        OSError: when that cannot be written.
    """
    folders = {*read_created_folders(root), folder}
    names = sorted((path.relative_to(root) if path.is_relative_to(root) else path).as_posix() for path in folders)
    write_atomically(
        root / BACKUP_FOLDER / _CREATED_FOLDERS,
        "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"),
    )


def read_created_folders(root: Path) -> frozenset[Path]:
    """Read the list of folders that Aurora created."""
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
