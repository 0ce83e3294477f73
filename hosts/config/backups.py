"""Copies of a person's files as they were, each content once, in `.aurora/backups/hosts/`."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

from .atomic_write import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.hosts.user_paths import Person

FOLDER = ".aurora/backups/hosts"
_MADE = "folders"
_PRIVATE = 0o600
"""A person's configuration may hold keys."""


def keep(path: Path, data: bytes, root: Path, person: Person) -> Path:
    """Copy what the file holds, unless this very content is kept already.

    Raises:
        OSError: when it cannot be written.
    """
    place = _place(path, root, person)
    copy = place.with_name(f"{place.name}.{hashlib.sha256(data).hexdigest()[:12]}")
    if not copy.exists():
        write_whole(copy, data, _PRIVATE)
    return copy


def kept(path: Path, root: Path, person: Person) -> Iterator[bytes]:
    """What was kept of the file, the latest first; a copy that cannot be read is left out."""
    place = _place(path, root, person)
    found: list[tuple[int, bytes]] = []
    for copy in sorted(place.parent.glob("*")):
        if copy.name.startswith(f"{place.name}.") and len(copy.name) == len(place.name) + 13:
            with contextlib.suppress(OSError):
                found.append((copy.stat().st_mtime_ns, copy.read_bytes()))
    yield from (data for _, data in sorted(found, reverse=True))


def note_folder(folder: Path, root: Path) -> None:
    """Remember that a folder was not there before, in the project or among a person's own.

    Raises:
        OSError: when that cannot be written.
    """
    folders = {*made_folders(root), folder}
    names = sorted((one.relative_to(root) if one.is_relative_to(root) else one).as_posix() for one in folders)
    write_whole(root / FOLDER / _MADE, "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"))


def made_folders(root: Path) -> frozenset[Path]:
    """The folders that were not there before."""
    try:
        noted = (root / FOLDER / _MADE).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return frozenset()
    return frozenset(root / name for name in noted.split("\n") if name)


def _place(path: Path, root: Path, person: Person) -> Path:
    folder = root / FOLDER
    if path.is_relative_to(root):
        return folder / "project" / path.relative_to(root)
    if path.is_relative_to(person.home):
        return folder / "person" / path.relative_to(person.home)
    return folder / "elsewhere" / hashlib.sha256(str(path.parent).encode("utf-8")).hexdigest()[:12] / path.name
