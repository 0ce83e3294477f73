"""Restore of a backup, and copies of one database into another."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import apsw

from aurora.errors import Code, Fault, check_cancelled, guard_commit
from aurora.memory.files import open_scratch_path, prepare_folder, replace_database
from aurora.memory.model.reports import HOURLY_REASON, Backup, RestoreResult
from aurora.memory.sqlite import header, owner
from aurora.memory.sqlite.connect import open_connection, open_or_create
from aurora.memory.sqlite.errors import DamagedDatabase, translate_errors
from aurora.memory.sqlite.session import build_tables

from . import backup
from .lock import lock_exclusively

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.memory.storage.store import Tables


_INDEX_TABLES = (
    *("files", "chunks", "vectors", "docs", "segments", "postings"),
    *("nodes", "refs", "edges", "graph_pending", "graph_gone", "graph_packed"),
)
_OWN_META = ("records_identity", "records_version")
"""Metadata of the repository's records, which are not copied."""
_COPY_META = """
INSERT OR REPLACE INTO facts (key, value)
SELECT key, value FROM staged.facts WHERE key NOT IN (SELECT value FROM json_each(?))
"""
_INDEX_BUSY_TIMEOUT = 30.0
_BUSY_TIMEOUT = 5.0
_RETRY_TIMEOUT = 0.1
"""Seconds to wait for a lock before checking for cancellation."""


def restore_backup(database: Path, name: str | None = None, *, finish: Callable[[Tables], object]) -> RestoreResult:
    """Restore the database from a backup.

    An intact database is overwritten in one transaction: other processes see the old or the new state, and a kill
    leaves one of the two. (SQLite would apply the log of the old file to a file moved into its place.) A damaged
    database is moved away and replaced by the backup.

    Args:
        database: the file, which may be missing.
        name: the backup's name; None chooses the newest.
        finish: adds the words of the records of an hourly backup, which has none.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR when it is damaged, CONFLICT when it comes from a newer
            version, TIMEOUT when another process writes for too long.
    """
    chosen = backup.find_backup(database, name)
    with translate_errors(database):
        prepare_folder(database)
        with open_scratch_path(database) as staged:
            _stage_backup(chosen, staged, finish)
            if not is_intact(database):
                with lock_exclusively(database):
                    if not is_intact(database):  # no other process was faster
                        damaged = replace_database(staged, database)
                        owner.record_own(database)
                        return RestoreResult(chosen, None, damaged, {})
            with _replace_content(staged, database):  # no other process writes until it has ended
                before = backup.create_backup(database, reason="before-restore")
            only_before = _count_only_in(before.path, staged)
    return RestoreResult(chosen, before, None, only_before)


def is_intact(database: Path) -> bool:
    """Check that the file exists and that SQLite finds no damage in it.

    Raises:
        Fault: CONFLICT for a database of another program, TIMEOUT and FORBIDDEN as for the store.
    """
    if not database.exists() or not database.stat().st_size:
        return False
    try:
        with translate_errors(database):
            owner.require_own(database)
            header.check_file(database)
            db = open_connection(database, read_only=True, busy_timeout=_BUSY_TIMEOUT)
            try:
                backup.check_database(db, database)
            finally:
                db.close()
    except Fault as fault:
        if fault.code is Code.UPSTREAM_ERROR:
            return False
        raise
    return True


def _stage_backup(chosen: Backup, staged: Path, finish: Callable[[Tables], object]) -> None:
    """Copy a backup next to the database, and check the copy."""
    try:
        with translate_errors(chosen.path):
            owner.require_own(chosen.path)
            header.check_file(chosen.path)
            backup.copy_database(chosen.path, staged)
            open_or_create(staged, busy_timeout=_BUSY_TIMEOUT)
            if chosen.reason == HOURLY_REASON:
                _finish_copy(staged, finish)
    except DamagedDatabase as fault:
        raise _build_backup_fault(chosen, Code.UPSTREAM_ERROR, f"is damaged ({fault.why})") from fault
    except Fault as fault:
        if "found" not in fault.details:
            raise
        found, known = fault.details["found"], fault.details["known"]
        problem = f"has version {found}, and this Aurora supports version {known}"
        raise _build_backup_fault(chosen, Code.CONFLICT, problem) from fault
    _mark_restored(staged)


def _finish_copy(staged: Path, finish: Callable[[Tables], object]) -> None:
    with closing(open_connection(staged, read_only=False, busy_timeout=_BUSY_TIMEOUT)) as db, db:
        finish(build_tables(db))


def install_copy(staged: Path, database: Path) -> None:
    """Replace the content of an intact database by that of another, in one transaction.

    Args:
        staged: a database without a log that no other process uses.
        database: the file to replace; others may read it meanwhile.

    Raises:
        Fault: TIMEOUT when another process writes for too long.
    """
    with translate_errors(database):
        _mark_restored(staged)
        with _replace_content(staged, database):
            pass


def _mark_restored(staged: Path) -> None:
    """Record that the chunk numbers get new meanings; the last connection merges the log into the file."""
    db = open_connection(staged, read_only=False, busy_timeout=_BUSY_TIMEOUT)
    try:
        db.execute(_SET_RESTORED, (str(time.time_ns()),))
    finally:
        db.close()


def _build_backup_fault(chosen: Backup, code: Code, problem: str) -> Fault:
    return Fault(
        code,
        f'the backup "{chosen.name}" {problem}; nothing was changed',
        help="restore another backup: `aur mem backups` lists them",
        details={"path": str(chosen.path)},
    )


# Other processes cache postings and vectors by chunk number, and a restored memory may use the numbers for other
# chunks: `Store` compares this value and drops the caches when it grows.
_SET_RESTORED = """
INSERT INTO facts (key, value) VALUES ('restored', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


def _count_only_in(before: Path, after: Path) -> dict[str, int]:
    """Count the records and runs of one database that another does not have."""
    found, kept = _read_ids(before), _read_ids(after)
    return {name: len(ids - kept[name]) for name, ids in found.items()}


def _read_ids(database: Path) -> dict[str, set[str]]:
    with closing(open_connection(database, read_only=True, busy_timeout=_BUSY_TIMEOUT)) as db:
        return {name: {str(id_) for (id_,) in db.execute(query)} for name, query in _IDS.items()}


_IDS = {"records": "SELECT id FROM chunks WHERE path IS NULL", "runs": "SELECT run FROM runs"}


@contextmanager
def _replace_content(staged: Path, database: Path) -> Iterator[None]:
    """Lock the database against writes, and replace its content when the block ends without an error.

    The block may read it. What others wrote before is there, what they write later goes to the new content.

    Raises:
        apsw.BusyError: another process writes for too long.
    """
    with (
        closing(open_connection(staged, read_only=True, busy_timeout=_BUSY_TIMEOUT)) as source,
        closing(open_connection(database, read_only=False, busy_timeout=_RETRY_TIMEOUT)) as target,
        target.backup("main", source, "main") as transfer,
    ):
        _lock_target(transfer)
        yield
        with guard_commit():
            while not transfer.done:
                transfer.step(-1)


def _lock_target(transfer: apsw.Backup) -> None:
    end = time.monotonic() + _BUSY_TIMEOUT
    while True:
        check_cancelled()
        try:
            transfer.step(0)  # copies no page, and begins the transaction of the target
        except (apsw.BusyError, apsw.LockedError):
            if time.monotonic() > end:
                raise
        else:
            return


def copy_index(staged: Path, database: Path) -> bool:
    """Copy the index of a database into one that never had a chunk, in one transaction.

    Args:
        staged: a database of the current version without records, which no other process uses.
        database: the database to fill; its runs stay.

    Returns:
        False when it has or had chunks, whose numbers caches may know; nothing is changed then.

    Raises:
        Fault: TIMEOUT when another process writes for too long; see `sqlite.errors`.
    """
    with translate_errors(database):
        # No foreign keys: SQLite then copies rows as they are. Those of the copy were checked when they were written.
        db = open_connection(database, read_only=False, busy_timeout=_INDEX_BUSY_TIMEOUT)
        try:
            db.pragma("foreign_keys", 0)
            db.execute("ATTACH ? AS staged", (str(staged),))
            db.execute("BEGIN IMMEDIATE")
            is_copied = _is_pristine(db) and all(_has_same_columns(db, table) for table in _INDEX_TABLES)
            if is_copied:
                _copy_tables(db)
            db.execute("COMMIT")
        finally:
            db.close()
    return is_copied


def _is_pristine(db: apsw.Connection) -> bool:
    used = "SELECT 1 FROM sqlite_sequence WHERE name IN ('chunks', 'nodes', 'segments') AND seq > 0"
    # The counters too: a memory whose chunks were all deleted is empty, and caches still know their numbers.
    return not any(db.execute(sql).fetchall() for sql in (used, "SELECT 1 FROM files LIMIT 1"))


def _has_same_columns(db: apsw.Connection, table: str) -> bool:
    both = [db.execute(f"PRAGMA {name}.table_info({table})").fetchall() for name in ("main", "staged")]
    # `SELECT *` copies by position, so both must have the same columns in the same order.
    return both[0] == both[1]


def _copy_tables(db: apsw.Connection) -> None:
    (before,) = db.execute("SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM facts WHERE key = 'generation'")
    for table in _INDEX_TABLES:
        db.execute(f"INSERT INTO main.{table} SELECT * FROM staged.{table}")
    db.execute(_COPY_META, (f'["{_OWN_META[0]}", "{_OWN_META[1]}"]',))
    db.execute(
        "UPDATE facts SET value = CAST(max(CAST(value AS INTEGER), ?) + 1 AS TEXT) WHERE key = 'generation'", before
    )
