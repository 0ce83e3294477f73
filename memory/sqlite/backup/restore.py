"""Bringing a backup back: checked first, what is there now kept first, and in one transaction."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from aurora.faults import Code, Fault
from aurora.faults.cancellation import lasting
from aurora.memory.files.atomic import displace, scratch
from aurora.memory.files.locate import prepare_folder
from aurora.memory.sqlite.connection import connect, establish, inspect
from aurora.memory.sqlite.errors import Damaged, spoken

from . import backup
from .lock import alone

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.sqlite.schema import After

    from .backup import Backup

_PATIENCE = 5.0
_AT_ONCE = 0.1
"""Seconds of waiting for a lock after which it is asked whether anybody still wants the backup brought back."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restoring did: `before` is the backup of what was there, `aside` where a damaged file went."""

    backup: Backup
    before: Backup | None
    aside: Path | None


def restore(database: Path, name: str | None = None, *, after: After) -> Restored:
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
    chosen = backup.find(database, name)
    with spoken(database):
        prepare_folder(database)
        with scratch(database) as staged:
            _stage(chosen, staged, after)
            if not is_whole(database):
                with alone(database):
                    if not is_whole(database):  # nobody was faster
                        return Restored(chosen, None, displace(staged, database))
            before = backup.make(database, reason="before-restore")
            _pour(staged, database)
    return Restored(chosen, before, None)


def is_whole(database: Path) -> bool:
    """Whether the file is there and SQLite finds no fault in it.

    Raises:
        Fault: CONFLICT for another program's database, which is left alone; TIMEOUT and FORBIDDEN as usual.
    """
    if not database.exists() or not database.stat().st_size:
        return False
    try:
        with spoken(database):
            inspect(database)
            db = connect(database, read_only=True, patience=_PATIENCE)
            try:
                backup.check(db, database)
            finally:
                db.close()
    except Fault as fault:
        if fault.code is Code.UPSTREAM_ERROR:
            return False
        raise
    return True


def _stage(chosen: Backup, staged: Path, after: After) -> None:
    """Copy a backup beside the database, check it, and let it grow to this version; a fault names the backup."""
    try:
        with spoken(chosen.path):
            inspect(chosen.path)
            backup.copy(chosen.path, staged)
            establish(staged, patience=_PATIENCE, after=after)
    except Damaged as fault:
        raise _useless(chosen, Code.UPSTREAM_ERROR, f"is damaged ({fault.why})") from fault
    except Fault as fault:
        if "found" not in fault.details:
            raise
        found, known = fault.details["found"], fault.details["known"]
        said = f"has version {found}, and this Aurora knows versions up to {known}"
        raise _useless(chosen, Code.CONFLICT, said) from fault
    db = connect(staged, read_only=False, patience=_PATIENCE)
    try:
        db.execute(_RESTORED, (str(time.time_ns()),))
        db.pragma("journal_mode", "delete")
    finally:
        db.close()


def _useless(chosen: Backup, code: Code, said: str) -> Fault:
    return Fault(
        code,
        f'the backup "{chosen.name}" {said}; nothing was changed',
        help="restore another one: `aur mem backups` lists them",
        details={"path": str(chosen.path)},
    )


# Other processes hold words and vectors in memory by chunk number, and the numbers of a restored memory may stand for
# other chunks: `Store` looks at this fact, and has all of that forgotten when it is a greater one.
_RESTORED = """
INSERT INTO facts (key, value) VALUES ('restored', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


def _pour(staged: Path, database: Path) -> None:
    source = connect(staged, read_only=True, patience=_PATIENCE)
    try:
        target = connect(database, read_only=False, patience=_AT_ONCE)
        try:
            end = time.monotonic() + _PATIENCE
            while not _poured(source, target):
                if time.monotonic() > end:
                    raise apsw.BusyError
        finally:
            target.close()
    finally:
        source.close()


def _poured(source: apsw.Connection, target: apsw.Connection) -> bool:
    """Whether all of the source is in the target now; False, and nothing of it, when another process is writing."""
    try:
        with lasting(), target.backup("main", source, "main") as work:
            while not work.done:
                work.step(-1)
    except (apsw.BusyError, apsw.LockedError):
        return False
    return True
