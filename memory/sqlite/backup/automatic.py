"""Automatic backups of what no file of the project contains: facts, patterns and runs.

A commit plans a backup when there is none, or the newest is older than an hour; it is made when the answer is out. So
the backups are never more than an hour behind the last change. Words, vectors and code, nine tenths of a database, are
left out: indexing makes them again.
"""

from __future__ import annotations

import re
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.errors import Code, Fault, guard_commit
from aurora.memory.files import is_view, open_scratch_path, refuse_foreign_link
from aurora.memory.model.reports import HOURLY_REASON
from aurora.memory.sqlite import header, owner, schema
from aurora.memory.sqlite.connect import limit_connection
from aurora.memory.sqlite.errors import build_damage_fault, translate_errors
from aurora.system.files import commit_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

BACKUP_FOLDER = "backups"
PRECIOUS: Mapping[str, Sequence[str]] = {
    "remembered": ("id", "at"),
    "chunks": (
        *("id", "type", "path", "start_line", "end_line", "symbol"),
        *("name", "kind", "language", "text", "metadata"),
    ),
    "accesses": ("id", "at"),
    "runs": ("run", "workflow", "created_at", "updated_at", "document"),
    "steps": ("run", "seq", "phase", "at", "document"),
    "undo": ("at", "action", "summary", "document"),
}
"""Table -> its columns, without numbers: two sources may have given one to different rows. Runs come before steps."""
_INTERVAL = 3600.0
"""Seconds that the newest backup may be old at a change."""
_DELAY = 20.0
"""Seconds from a commit to the backup in a process that goes on: the answer is out, and a burst of changes whole."""
_LOOK_SECONDS = 60.0
"""Seconds between two looks at the folder: reading its names takes 0.1 ms, and indexing commits often."""
_PARTIAL = ".partial"
_NAME = re.compile(rf"(\d{{8}}-\d{{6}})-{HOURLY_REASON}-(\d+)\.db")
_TIME_FORM = "%Y%m%d-%H%M%S"
_KEPT: tuple[tuple[str, int], ...] = (("%Y%m%d%H", 24), ("%Y%m%d", 7), ("%G%V", 4))
"""Periods, and how many of them keep their newest backup. They are counted, not compared with the clock: when that was
set forward or back, the newest ones stay all the same."""
_CHANGES = """
SELECT json_array(
    (SELECT value FROM {0}.facts WHERE key = 'records_version'),
    (SELECT count(*) FROM {0}.runs), (SELECT max(updated_at) FROM {0}.runs),
    (SELECT max(rowid) FROM {0}.steps), (SELECT max(n) FROM {0}.undo))
"""
"""Value that every change of a fact, a pattern or a run changes."""
_CHANGES_KEY = "backup_of"
_ANY = "SELECT 1 FROM main.chunks UNION ALL SELECT 1 FROM main.runs LIMIT 1"
_lock, _working = threading.Lock(), threading.Lock()
_planned: dict[Path, tuple[threading.Timer, tuple[int, int] | None]] = {}
"""Database -> its timer, and the device and inode of the file that was changed."""
_next_look: dict[Path, float] = {}


class HourlyBackup(NamedTuple):
    """File of an automatic backup; a later one has a greater `number`, whatever the clock said."""

    number: int
    made_at: datetime
    path: Path


def plan_backup(database: Path) -> None:
    """Plan a backup after a commit, unless the newest one is recent."""
    now = time.monotonic()
    if now < _next_look.get(database, 0.0):
        return
    _next_look[database] = now + _LOOK_SECONDS
    # A file that is being built is no memory yet, and the records of a worktree are in the repository's database.
    if database.suffix == _PARTIAL or is_view(database) or not _is_due(list_hourly(database)):
        return
    with _lock:
        if database not in _planned:
            timer = threading.Timer(_DELAY, _make_planned, (database,))
            _planned[database] = timer, _identify(database)
            timer.daemon = True
            timer.start()


def finish_backups() -> None:
    """Make the planned backups now, and wait for one that is being made; for the end of a process."""
    for database in list(_planned):
        _make_planned(database)
    with _working:
        pass


def _make_planned(database: Path) -> None:
    with _lock:
        timer, changed = _planned.pop(database, (None, None))
    if timer is None:
        return
    timer.cancel()
    if changed is None or _identify(database) != changed:
        return  # the project was moved or replaced: nothing is written to its old place
    with _working:
        try:
            make_hourly(database)
        except (Fault, OSError) as error:  # the call has succeeded, and the next change tries again
            if not database.exists() or (isinstance(error, Fault) and error.code is Code.FORBIDDEN):
                return  # it was moved, or belongs to another account now
            import logging  # noqa: PLC0415 - a search does not need it

            logging.getLogger("aurora.memory").warning("the automatic backup was not made: %s", error)


def _identify(database: Path) -> tuple[int, int] | None:
    try:
        status = database.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def list_hourly(database: Path) -> list[HourlyBackup]:
    """List the automatic backups by their names, the newest first; a clone may have brought some."""
    try:
        files = list((database.parent / BACKUP_FOLDER).iterdir())
    except OSError:
        return []
    named = [(_NAME.fullmatch(path.name), path) for path in files]
    return sorted((HourlyBackup(int(one[2]), _parse_time(one[1]), path) for one, path in named if one), reverse=True)


def _parse_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.replace("-", "T")).replace(tzinfo=UTC)  # `strptime` takes 3 ms to load
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _is_due(made: Sequence[HourlyBackup]) -> bool:
    """Return whether there is no backup, or the newest is an hour old.

    A time in the future is that of a clock which has been set back.
    """
    return not made or not 0 <= _read_clock() - made[0].made_at.timestamp() < _INTERVAL


def _read_clock() -> float:
    """Return the time in seconds since 1970."""
    return time.time()


def make_hourly(database: Path) -> Path | None:
    """Back up the records and runs, unless a backup has them or is recent.

    A kill leaves a partial file, which the next backup removes.

    Raises:
        Fault: UPSTREAM_ERROR if the database is damaged or the disk is full, FORBIDDEN if it is not of this account.
        OSError: the folder cannot be written.
    """
    with translate_errors(database):
        owner.require_own(database)
        folder = database.parent / BACKUP_FOLDER
        refuse_foreign_link(folder)
        named = list_hourly(database)
        own = [one for one in named if _is_own(one.path)]
        if not _is_due(own):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        number = max((one.number for one in named), default=0) + 1
        now = datetime.fromtimestamp(_read_clock(), UTC)
        target = folder / f"{now:{_TIME_FORM}}-{HOURLY_REASON}-{number}.db"
        with open_scratch_path(target) as staged:
            if not _copy_precious(database, staged, own[0].path if own else None):
                return None
            owner.write_mark(staged, target)
            commit_file(staged, target)
    _remove_old([HourlyBackup(number, now, target), *own])
    return target


def _is_own(backup: Path) -> bool:
    try:
        owner.require_own(backup)
    except (Fault, apsw.Error):
        return False
    return not backup.is_symlink()


def _copy_precious(database: Path, staged: Path, newest: Path | None) -> bool:
    """Copy the rows as one transaction sees them; return False when the newest backup has them."""
    header.create_private(staged)
    uri = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(str(staged.absolute()), uri)) as db:
        limit_connection(db)
        db.set_busy_timeout(5_000)
        db.pragma("journal_mode", "off")  # a kill leaves a partial file, which is never read
        db.pragma("synchronous", "off")  # `commit_file` writes it through
        with db:
            schema.create_schema(db)
        db.execute("ATTACH ? AS source", (f"{database.absolute().as_uri()}?mode=rw",))
        with db:
            changes = str(db.execute(_CHANGES.format("source")).fetchall()[0][0])
            if newest is not None and changes == _read_changes(newest):
                return False
            for table, columns in PRECIOUS.items():
                names = ", ".join(columns)
                where = "WHERE path IS NULL" if table == "chunks" else ""
                db.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM source.{table} {where}")
            schema.fill_status(db)
            if newest is None and not db.execute(_ANY).fetchall():
                return False
            db.execute("INSERT INTO main.facts (key, value) VALUES (?, ?)", (_CHANGES_KEY, changes))
        result = db.execute("PRAGMA main.quick_check(1)").fetchall()
        if result != [("ok",)]:
            raise build_damage_fault(database, str(result))
    return True


def _read_changes(backup: Path) -> str:
    """Read which changes a backup has; empty for one that cannot be read."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(f"{backup.absolute().as_uri()}?immutable=1", flags)) as db:
            rows = db.execute("SELECT value FROM facts WHERE key = ?", (_CHANGES_KEY,)).fetchall()
    except apsw.Error:
        return ""
    return str(rows[0][0]) if rows else ""


def _remove_old(made: Sequence[HourlyBackup]) -> None:
    """Delete the backups that no period keeps; those of others stay, unread."""
    kept = choose_kept(made)
    for one in made:
        if one.number not in kept:
            with guard_commit():
                one.path.unlink(missing_ok=True)


def choose_kept(made: Sequence[HourlyBackup]) -> set[int]:
    """Choose the backups to keep, given the newest first: that of each of the last hours, days, weeks."""
    kept: set[int] = set()
    for form, most in _KEPT:
        periods: dict[str, int] = {}
        for one in made:
            periods.setdefault(one.made_at.strftime(form), one.number)
        kept.update(list(periods.values())[:most])
    return kept
