"""Backups: a checked copy of the whole database in one file."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import apsw

from aurora.errors import Code, Fault, check_cancelled, guard_commit
from aurora.memory.files import refuse_foreign_link, stage_file
from aurora.memory.model.reports import HOURLY_REASON, MANUAL_REASON, Backup
from aurora.memory.sqlite import header, owner
from aurora.memory.sqlite.connect import defend_schema, limit_connection, open_connection, require_current
from aurora.memory.sqlite.errors import ChangedDatabase, build_damage_fault, translate_errors
from aurora.memory.sqlite.read_only import ReadOnlyConnection

from .automatic import BACKUP_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

MAX_AUTOMATIC_BACKUPS = 10
"""Number of backups before an operation to keep; manual ones are never deleted, hourly ones have periods."""
_BACKUP_NAME = re.compile(r"(\d{8}-\d{6})-([a-z0-9-]+?)(?:-\d+)?\.db")
_BUSY_TIMEOUT = 5.0


def get_backup_folder(database: Path) -> Path:
    """Return the folder of the database's backups."""
    return database.parent / BACKUP_FOLDER


def list_backups(database: Path) -> tuple[Backup, ...]:
    """List the backups of a database, newest first."""
    folder = get_backup_folder(database)
    refuse_foreign_link(folder)
    with translate_errors(folder):
        files = [path for path in folder.iterdir() if not path.is_symlink()] if folder.is_dir() else []
        named = [
            (match[1], path.stat().st_mtime_ns, path, match)
            for path in files
            if (match := _BACKUP_NAME.fullmatch(path.name))
        ]
        return tuple(
            _describe_backup(path, match) for _, _, path, match in sorted(named, key=_get_sort_key, reverse=True)
        )


def _get_sort_key(named: tuple[str, int, Path, re.Match[str]]) -> tuple[str, int]:
    return named[:2]


def _describe_backup(path: Path, match: re.Match[str]) -> Backup:
    time = datetime.strptime(match[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    return Backup(path.name, path, time.isoformat().replace("+00:00", "Z"), match[2], path.stat().st_size)


def create_backup(database: Path, *, reason: str = MANUAL_REASON) -> Backup:
    """Copy the database as it is now; others may read and write meanwhile.

    Args:
        database: the file.
        reason: lower-case letters, digits and "-".

    Raises:
        Fault: NOT_FOUND without a memory, UPSTREAM_ERROR if it is damaged or the disk is full; no partial backup
            remains.
    """
    with translate_errors(database):
        owner.require_own(database)
        header.check_file(database)
        if not database.exists() or not database.stat().st_size:
            raise Fault(
                Code.NOT_FOUND,
                f'there is no memory at "{database}" yet',
                help="run `aur mem index` first",
                details={"path": str(database)},
            )
    folder = get_backup_folder(database)
    refuse_foreign_link(folder)
    with translate_errors(folder):
        check_cancelled()
        folder.mkdir(parents=True, exist_ok=True)
        target = _choose_name(folder, reason)
        with stage_file(target) as partial:
            header.create_private(partial)
            copy_database(database, partial)
        owner.record_own(target)
        made = target
    _remove_old_backups(database)
    match = _BACKUP_NAME.fullmatch(made.name)
    if match is None:
        raise ValueError(f"invalid reason {reason!r}")
    return _describe_backup(made, match)


def _choose_name(folder: Path, reason: str) -> Path:
    """Choose a name that sorts after all others and is never used twice."""
    stem = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{reason}"
    taken = [path.stem.removeprefix(stem).removeprefix("-") or "1" for path in folder.glob(f"{stem}*.db")]
    last = max((int(number) for number in taken if number.isdecimal()), default=0)
    return folder / (f"{stem}-{last + 1}.db" if last else f"{stem}.db")


def copy_aside(source: Path, target: Path, *, checks: bool) -> None:
    """Copy a database to a new file that only its owner can read; see `copy_database`.

    Raises:
        Fault: UPSTREAM_ERROR if it is damaged or the disk is full.
    """
    with translate_errors(source):
        owner.require_own(source)
        header.check_file(source)
        header.create_private(target)
        copy_database(source, target, checks=checks)


def copy_database(source: Path, target: Path, *, checks: bool = True) -> None:
    """Copy a database to a single file without a log, and check the copy.

    Args:
        source: the database; others may use it meanwhile.
        target: the new file.
        checks: False for a copy whose errors do no lasting harm.

    Raises:
        Fault: UPSTREAM_ERROR if the copy is damaged, as then the source is damaged.
        apsw.Error, OSError: the caller translates them.
    """
    with translate_errors(source):
        read = open_connection(source, read_only=True, busy_timeout=_BUSY_TIMEOUT)
    try:
        write = apsw.Connection(str(target))
        try:
            limit_connection(write)
            defend_schema(write)
            with write.backup("main", read, "main") as transfer:
                while not transfer.done:
                    transfer.step(-1)
            if isinstance(read, ReadOnlyConnection) and not read.is_shared and not read.is_current(source):
                raise ChangedDatabase(source)
            if checks:
                check_database(write, source)
        finally:
            write.close()
    finally:
        read.close()


def check_database(db: apsw.Connection, path: Path) -> None:
    """Let SQLite check the pages and trees of a database, and check its version.

    Raises:
        Fault: UPSTREAM_ERROR if it is damaged, CONFLICT for a newer version.
    """
    result = db.pragma("quick_check")
    if result != "ok":
        raise build_damage_fault(path, str(result).splitlines()[0])
    require_current(db, path)


def _remove_old_backups(database: Path) -> None:
    """Delete the oldest automatic backups."""
    made = [one for one in list_backups(database) if one.is_automatic and one.reason != HOURLY_REASON]
    for old in made[MAX_AUTOMATIC_BACKUPS:]:
        with translate_errors(old.path), guard_commit():
            old.path.unlink(missing_ok=True)


def find_backup(database: Path, name: str | None) -> Backup:
    """Find the backup with this name, with or without `.db`; by default the newest whole one, if any.

    An hourly backup is made after a change, so the newest would often be the very state that is to be undone.

    Raises:
        Fault: NOT_FOUND, with the names of all backups.
    """
    backups = list_backups(database)
    if name is None and backups:
        return next((one for one in backups if one.reason != HOURLY_REASON), backups[0])
    for backup in backups:
        if name in {backup.name, backup.name.removesuffix(".db")}:
            return backup
    names = [backup.name for backup in backups]
    raise Fault(
        Code.NOT_FOUND,
        f'there is no backup "{name[:80]}"' if name else "there is no backup",
        help=f'the newest is "{names[0]}"; `aur mem backups` lists all'
        if names
        else "run `aur mem backup` to make one",
        details={"choices": names},
    )
