"""Backups: the whole database in one file beside it, checked before it gets its name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault, check_cancelled, guard_commit
from aurora.memory.files import write_atomically
from aurora.memory.sqlite import schema
from aurora.memory.sqlite.connection import check_file, open_connection
from aurora.memory.sqlite.errors import build_damage_fault, translate_errors

if TYPE_CHECKING:
    from pathlib import Path

BACKUP_FOLDER = "backups"
MAX_AUTOMATIC_BACKUPS = 10
"""Backups that Aurora made by itself and that are kept; those a person asked for are never deleted."""
MANUAL_REASON = "manual"
_BACKUP_NAME = re.compile(r"(\d{8}-\d{6})-([a-z0-9-]+?)(?:-\d+)?\.db")
_BUSY_TIMEOUT = 5.0


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup; `reason` is `manual`, or what Aurora was about to do when it made it (`before-restore` …)."""

    name: str
    path: Path
    made_at: str
    reason: str
    size_bytes: int

    @property
    def is_automatic(self) -> bool:
        """Whether Aurora made it by itself, and will delete it when there are `KEPT` newer ones."""
        return self.reason != MANUAL_REASON


def get_backup_folder(database: Path) -> Path:
    """Where the backups of a database lie."""
    return database.parent / BACKUP_FOLDER


def list_backups(database: Path) -> tuple[Backup, ...]:
    """The backups of a database, the newest first."""
    folder = get_backup_folder(database)
    with translate_errors(folder):
        there = list(folder.iterdir()) if folder.is_dir() else []
        named = [
            (match[1], path.stat().st_mtime_ns, path, match)
            for path in there
            if (match := _BACKUP_NAME.fullmatch(path.name))
        ]
        return tuple(
            _describe_backup(path, match) for _, _, path, match in sorted(named, key=_get_sort_key, reverse=True)
        )


def _get_sort_key(named: tuple[str, int, Path, re.Match[str]]) -> tuple[str, int]:
    return named[:2]


def _describe_backup(path: Path, match: re.Match[str]) -> Backup:
    made = datetime.strptime(match[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    return Backup(path.name, path, made.isoformat().replace("+00:00", "Z"), match[2], path.stat().st_size)


def create_backup(database: Path, *, reason: str = MANUAL_REASON) -> Backup:
    """Copy the database as it is at this moment; others may go on reading and writing.

    Args:
        database: the file.
        reason: why: small letters, digits and "-".

    Raises:
        Fault: NOT_FOUND when there is no memory yet, UPSTREAM_ERROR when it is damaged or the disk is full; no part
            of a backup is left behind.
    """
    with translate_errors(database):
        check_file(database)
        if not database.exists() or not database.stat().st_size:
            raise Fault(
                Code.NOT_FOUND,
                f'there is no memory at "{database}" yet',
                help="run `aur mem index` first",
                details={"path": str(database)},
            )
    folder = get_backup_folder(database)
    with translate_errors(folder):
        check_cancelled()
        folder.mkdir(parents=True, exist_ok=True)
        target = _choose_name(folder, reason)
        with write_atomically(target) as partial:
            copy_database(database, partial)
        made = target
    _remove_old_backups(database)
    match = _BACKUP_NAME.fullmatch(made.name)
    if match is None:
        raise ValueError(f"{reason!r} is no reason")
    return _describe_backup(made, match)


def _choose_name(folder: Path, reason: str) -> Path:
    """A name that sorts after all there are: two backups of one second are numbered, and no number comes twice."""
    stem = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{reason}"
    taken = [path.stem.removeprefix(stem).removeprefix("-") or "1" for path in folder.glob(f"{stem}*.db")]
    last = max((int(number) for number in taken if number.isdecimal()), default=0)
    return folder / (f"{stem}-{last + 1}.db" if last else f"{stem}.db")


def copy_database(source: Path, target: Path) -> None:
    """Copy one database to a file of its own, without a log beside it, and check the copy.

    Raises:
        Fault: UPSTREAM_ERROR when the copy is not a whole database, for then the source is none.
        apsw.Error, OSError: the caller turns them into faults.
    """
    with translate_errors(source):
        read = open_connection(source, read_only=True, patience=_BUSY_TIMEOUT)
    try:
        write = apsw.Connection(str(target))
        try:
            with write.backup("main", read, "main") as work:
                while not work.done:
                    work.step(-1)
            write.pragma("journal_mode", "delete")
            check_database(write, source)
        finally:
            write.close()
    finally:
        read.close()


def check_database(db: apsw.Connection, path: Path) -> None:
    """Refuse a database that SQLite finds faults in, or that is none of ours.

    Raises:
        Fault: UPSTREAM_ERROR for a damaged one, CONFLICT for another program's.
    """
    said = db.pragma("quick_check")
    if said != "ok":
        raise build_damage_fault(path, str(said).splitlines()[0])
    if db.pragma("application_id") != schema.APPLICATION_ID:
        raise Fault(
            Code.CONFLICT,
            f'"{path}" is a database of another program',
            help="name a backup that `aur mem backups` lists",
            details={"path": str(path)},
        )


def _remove_old_backups(database: Path) -> None:
    """Delete the oldest of those that nobody asked for."""
    for old in [each for each in list_backups(database) if each.is_automatic][MAX_AUTOMATIC_BACKUPS:]:
        with translate_errors(old.path), guard_commit():
            old.path.unlink(missing_ok=True)


def find_backup(database: Path, name: str | None) -> Backup:
    """The backup of this name, with or without its ending; the newest without a name.

    Raises:
        Fault: NOT_FOUND, with those that there are.
    """
    there = list_backups(database)
    for each in there:
        if name in {None, each.name, each.name.removesuffix(".db")}:
            return each
    names = [each.name for each in there]
    raise Fault(
        Code.NOT_FOUND,
        f'there is no backup "{name[:80]}"' if name else "there is no backup",
        help=f'the newest is "{names[0]}"; `aur mem backups` lists all' if names else "`aur mem backup` makes one",
        details={"choices": names},
    )
