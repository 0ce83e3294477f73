"""Bringing a backup back: checked first, what is there now kept first, and in one transaction."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault, guard_commit
from aurora.memory.files import open_scratch_path, prepare_folder, replace_database
from aurora.memory.sqlite.connection import check_file, open_connection, open_or_create
from aurora.memory.sqlite.errors import DamagedDatabase, translate_errors

from . import backup
from .lock import lock_exclusively

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.sqlite.schema import After

    from .backup import Backup

_BUSY_TIMEOUT = 5.0
_RETRY_TIMEOUT = 0.1
"""Seconds of waiting for a lock after which it is asked whether anybody still wants the backup brought back."""


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """What a restoring did: `before` is the backup of what was there, `aside` where a damaged file went."""

    backup: Backup
    previous_backup: Backup | None
    damaged_path: Path | None


def restore_backup(database: Path, name: str | None = None, *, after: After) -> RestoreResult:
    """Make the database what it was in a backup.

    A whole database is overwritten from within, in one transaction: whoever has it open sees the old state or the new
    one, and a kill at any moment leaves one of the two. (A file moved into its place would get the log of the old one
    played into it.) A damaged one is set aside and the backup takes its name.

    Args:
        database: the file; need not exist.
        name: the backup's; the newest one without.
        after: what SQL cannot do when an older backup is upgraded.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR when it is damaged, CONFLICT when it comes from a newer
            version, TIMEOUT when another process writes for too long.
    """
    chosen = backup.find_backup(database, name)
    with translate_errors(database):
        prepare_folder(database)
        with open_scratch_path(database) as staged:
            _stage_backup(chosen, staged, after)
            if not is_intact(database):
                with lock_exclusively(database):
                    if not is_intact(database):  # nobody was faster
                        return RestoreResult(chosen, None, replace_database(staged, database))
            before = backup.create_backup(database, reason="before-restore")
            _copy_into(staged, database)
    return RestoreResult(chosen, before, None)


def is_intact(database: Path) -> bool:
    """Whether the file is there and SQLite finds no fault in it.

    Raises:
        Fault: CONFLICT for another program's database, which is left alone; TIMEOUT and FORBIDDEN as usual.
    """
    if not database.exists() or not database.stat().st_size:
        return False
    try:
        with translate_errors(database):
            check_file(database)
            db = open_connection(database, read_only=True, patience=_BUSY_TIMEOUT)
            try:
                backup.check_database(db, database)
            finally:
                db.close()
    except Fault as fault:
        if fault.code is Code.UPSTREAM_ERROR:
            return False
        raise
    return True


def _stage_backup(chosen: Backup, staged: Path, after: After) -> None:
    """Copy a backup beside the database, check it, and let it grow to this version; a fault names the backup."""
    try:
        with translate_errors(chosen.path):
            check_file(chosen.path)
            backup.copy_database(chosen.path, staged)
            open_or_create(staged, patience=_BUSY_TIMEOUT, after=after)
    except DamagedDatabase as fault:
        raise _build_backup_fault(chosen, Code.UPSTREAM_ERROR, f"is damaged ({fault.why})") from fault
    except Fault as fault:
        if "found" not in fault.details:
            raise
        found, known = fault.details["found"], fault.details["known"]
        said = f"has version {found}, and this Aurora knows versions up to {known}"
        raise _build_backup_fault(chosen, Code.CONFLICT, said) from fault
    db = open_connection(staged, read_only=False, patience=_BUSY_TIMEOUT)
    try:
        db.execute(_SET_RESTORED, (str(time.time_ns()),))
        db.pragma("journal_mode", "delete")
    finally:
        db.close()


def _build_backup_fault(chosen: Backup, code: Code, said: str) -> Fault:
    return Fault(
        code,
        f'the backup "{chosen.name}" {said}; nothing was changed',
        help="restore another one: `aur mem backups` lists them",
        details={"path": str(chosen.path)},
    )


# Other processes hold words and vectors in memory by chunk number, and the numbers of a restored memory may stand for
# other chunks: `Store` looks at this fact, and has all of that forgotten when it is a greater one.
_SET_RESTORED = """
INSERT INTO facts (key, value) VALUES ('restored', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


def _copy_into(staged: Path, database: Path) -> None:
    source = open_connection(staged, read_only=True, patience=_BUSY_TIMEOUT)
    try:
        target = open_connection(database, read_only=False, patience=_RETRY_TIMEOUT)
        try:
            end = time.monotonic() + _BUSY_TIMEOUT
            while not _try_copy(source, target):
                if time.monotonic() > end:
                    raise apsw.BusyError
        finally:
            target.close()
    finally:
        source.close()


def _try_copy(source: apsw.Connection, target: apsw.Connection) -> bool:
    """Whether all of the source is in the target now; False, and nothing of it, when another process is writing."""
    try:
        with guard_commit(), target.backup("main", source, "main") as work:
            while not work.done:
                work.step(-1)
    except (apsw.BusyError, apsw.LockedError):
        return False
    return True
