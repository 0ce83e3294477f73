"""Backups of configuration files in `.aurora/backups/hosts/`, one per content."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from aurora.faults.paths import read_plain, write_inside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from aurora.hosts.host import ExtraKind
    from aurora.hosts.user_paths import UserPaths

BACKUP_FOLDER = ".aurora/backups/hosts"
_CREATED_FOLDERS = "folders"
_LEFT_OUT = "left-out"
MAX_CONFIG_BYTES = 32_000_000
"""Size limit of a configuration file in bytes."""
_PRIVATE_MODE = 0o600
"""A user's configuration may contain API keys."""


def save_backup(path: Path, data: bytes, root: Path, person: UserPaths) -> Path:
    """Copy the file's content to the backups unless an equal copy exists.

    Raises:
        OSError: when it cannot be written.
        Fault: FORBIDDEN when the folder of the backups is a link out of the project.
    """
    place = _get_backup_path(path, root, person)
    copy = place.with_name(f"{place.name}.{hashlib.sha256(data).hexdigest()[:12]}")
    if not copy.exists():
        write_inside(root, copy.relative_to(root).as_posix(), data, _PRIVATE_MODE)
    return copy


def iter_backups(path: Path, root: Path, person: UserPaths) -> Iterator[bytes]:
    """Yield the backups of a file, newest first; skip unreadable copies."""
    place = _get_backup_path(path, root, person)
    found: list[tuple[int, bytes]] = []
    for copy in sorted(place.parent.glob("*")):
        if copy.name.startswith(f"{place.name}.") and len(copy.name) == len(place.name) + 13:
            data = read_plain(copy, MAX_CONFIG_BYTES)
            if data is not None:
                found.append((copy.lstat().st_mtime_ns, data))
    yield from (data for _, data in sorted(found, reverse=True))


def record_folder(folder: Path, root: Path) -> None:
    """Record a folder that Aurora creates, so that removal can delete it.

    Raises:
        OSError: when that cannot be written.
        Fault: FORBIDDEN when the folder of the backups is a link out of the project.
    """
    folders = {*read_created_folders(root), folder}
    names = sorted((path.relative_to(root) if path.is_relative_to(root) else path).as_posix() for path in folders)
    write_inside(
        root,
        f"{BACKUP_FOLDER}/{_CREATED_FOLDERS}",
        "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"),
    )


def read_created_folders(root: Path) -> frozenset[Path]:
    """Read the list of folders that Aurora created."""
    data = read_plain(root / BACKUP_FOLDER / _CREATED_FOLDERS, MAX_CONFIG_BYTES) or b""
    noted = data.decode("utf-8", "surrogateescape")
    return frozenset(root / name for name in noted.split("\n") if name)


def record_left_out(kinds: Collection[ExtraKind], root: Path) -> None:
    """Record the kinds of additional files that the person does not want.

    The doctor does not miss them then.

    Raises:
        OSError: when that cannot be written.
        Fault: FORBIDDEN when the folder of the backups is a link out of the project.
    """
    if frozenset(kinds) != read_left_out(root):
        text = "".join(f"{kind}\n" for kind in sorted(kinds))
        write_inside(root, f"{BACKUP_FOLDER}/{_LEFT_OUT}", text.encode("utf-8"))


def read_left_out(root: Path) -> frozenset[ExtraKind]:
    """Read the kinds of additional files that the person does not want."""
    data = read_plain(root / BACKUP_FOLDER / _LEFT_OUT, MAX_CONFIG_BYTES) or b""
    kinds: tuple[ExtraKind, ...] = ("command", "skill", "note")
    return frozenset(kind for kind in kinds if kind.encode() in data.split())


def _get_backup_path(path: Path, root: Path, person: UserPaths) -> Path:
    folder = root / BACKUP_FOLDER
    if path.is_relative_to(root):
        return folder / "project" / path.relative_to(root)
    if path.is_relative_to(person.home):
        return folder / "person" / path.relative_to(person.home)
    return folder / "elsewhere" / hashlib.sha256(str(path.parent).encode("utf-8")).hexdigest()[:12] / path.name
