"""Recovery: a new database with what SQLite reads of a damaged one, and with the newest backup.

A table that is read whole counts as it is. Of one that is not, both sources count: what was written after the backup is
at the end of the table, which a second reading, backwards, reaches behind an unreadable page.
"""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import apsw

from aurora.errors import Fault
from aurora.memory.files import find_log, is_view, open_scratch_path, replace_database
from aurora.memory.model.json_columns import is_readable_document
from aurora.memory.model.reports import RecoveryResult
from aurora.memory.sqlite import header, owner, schema
from aurora.memory.sqlite.connect import limit_connection, open_connection, open_or_create
from aurora.memory.sqlite.errors import translate_errors
from aurora.memory.sqlite.read_only import build_unlocked_uri, keep_index_in_memory
from aurora.memory.sqlite.session import build_tables

from .automatic import PRECIOUS
from .backup import check_database, list_backups
from .lock import lock_exclusively

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.reports import Backup
    from aurora.memory.storage.store import Tables

_BUSY_TIMEOUT = 5.0
_READ_ERRORS = (apsw.Error, UnicodeDecodeError)
_MAX_NAMED = 200
_ORDERS: Mapping[str, tuple[str, str]] = {
    "remembered": ("id", "id DESC"),
    "accesses": ("id, at", "id DESC, at DESC"),
}
"""Orders of the tables that have no row numbers, forwards and backwards."""
_NAMES: Mapping[str, tuple[str, str]] = {
    "chunks": ("SELECT id, n FROM chunks INDEXED BY sqlite_autoindex_chunks_1", '"%s"'),
    "runs": ("SELECT run FROM runs INDEXED BY sqlite_autoindex_runs_1", 'run "%s"'),
    "steps": ("SELECT run, seq FROM steps INDEXED BY sqlite_autoindex_steps_1", 'run "%s", step %d'),
}
"""Table -> the query for the keys in its index, which is on other pages than the rows, and how a lost row is named."""
_SELECT_RECORD_NUMBERS = "SELECT n FROM chunks INDEXED BY chunks_by_path WHERE path IS NULL"
_KEYS: Mapping[str, str] = {
    "chunks": "SELECT id FROM chunks WHERE path IS NULL",
    "runs": "SELECT run FROM runs",
    "steps": "SELECT run, seq FROM steps",
}
# A run is signed with all its steps: of one that is not whole, the backup's edition can be continued, and no mixture.
_REMOVE_TORN_RUNS = """
DELETE FROM main.runs WHERE run IN (SELECT run FROM saved.runs) AND EXISTS (
    SELECT 1 FROM (SELECT count(*) AS have, ifnull(max(seq), 0) AS last FROM main.steps WHERE steps.run = runs.run)
    WHERE have != last OR have < (SELECT count(*) FROM saved.steps WHERE steps.run = runs.run)
)
"""
_REMOVE_THEIR_STEPS = """
DELETE FROM main.steps WHERE run NOT IN (SELECT run FROM main.runs) AND run IN (SELECT run FROM saved.runs)
"""


@dataclass(slots=True)
class _TableRead:
    """Rows that were read of a table: their number, and whether they are all that it has."""

    table: str
    count: int = 0
    is_whole: bool = False
    names: set[tuple[Any, ...]] | None = None


@dataclass(slots=True)
class _Filled:
    saved: dict[str, int] = field(default_factory=dict)
    from_backup: dict[str, int] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def replace_damaged(
    database: Path, is_damaged: Callable[[Path], bool], finish: Callable[[Tables], list[str]]
) -> RecoveryResult:
    """Replace a damaged database by a new one with its records and runs.

    The damaged one is only read until the new one is complete, so a kill leaves one of the two. If two processes repair
    at the same time, the second keeps the result of the first.

    Args:
        database: the file.
        is_damaged: checks the file again after it is locked.
        finish: repairs the rows in the same transaction and returns what is lost.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or repairs for too long.
    """
    with translate_errors(database), lock_exclusively(database):
        if not is_damaged(database):
            return RecoveryResult(None)
        # The records of a worktree are in the repository's database, from where the next transaction takes them.
        backup = None if is_view(database) else _find_usable_backup(database)
        with open_scratch_path(database) as staged:
            open_or_create(staged, busy_timeout=_BUSY_TIMEOUT)
            filled = _Filled() if is_view(database) else _fill(staged, _find_place(database), backup, finish)
            damaged = replace_database(staged, database)
            owner.record_own(database)
    used = backup if any(filled.from_backup.values()) else None
    return RecoveryResult(damaged, filled.saved, filled.lost, used, filled.from_backup)


def copy_readable_rows(
    source: Path, folder: Path, target: Path, finish: Callable[[Tables], list[str]]
) -> Sequence[str]:
    """Copy the readable rows of a foreign database; see `database.copy_readable_rows`."""
    with translate_errors(source):
        copy = folder / "foreign.db"
        for ending in ("", "-wal"):
            if (place := source.with_name(source.name + ending)).is_file():
                header.copy_file(place, folder / f"{copy.name}{ending}")
        open_or_create(target, busy_timeout=_BUSY_TIMEOUT)
        return _fill(target, copy, None, finish).lost


def _find_place(database: Path) -> Path:
    """Return the name under which a database has its log: another one after an interrupted replacement."""
    log = find_log(database)
    return log.with_name(log.name.removesuffix("-wal")) if log is not None else database


def _find_usable_backup(database: Path) -> Backup | None:
    """Find the newest backup of this account that is intact."""
    # The newest may be damaged as well: it is on the same disk.
    for backup in list_backups(database):
        try:
            with translate_errors(backup.path):
                owner.require_own(backup.path)
                header.check_file(backup.path)
                with closing(open_connection(backup.path, read_only=True, busy_timeout=_BUSY_TIMEOUT)) as db:
                    check_database(db, backup.path)
        except Fault:
            continue
        return backup
    return None


def _fill(staged: Path, damaged: Path, backup: Backup | None, finish: Callable[[Tables], list[str]]) -> _Filled:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(str(staged.absolute()), flags)) as target:
        limit_connection(target)
        if backup is not None:
            target.execute("ATTACH ? AS saved", (f"{backup.path.absolute().as_uri()}?immutable=1",))
        with target:
            found = _read_damaged(target, damaged)
            filled = _Filled(saved={one.table: one.count for one in found if one.count})
            torn = [one for one in found if not one.is_whole]
            if backup is not None and torn:
                filled.from_backup = _add_saved_rows(target, torn)
            schema.fill_status(target)
            filled.lost = _describe_losses(target, found, backup)
            filled.lost += finish(build_tables(target))
    return filled


def _read_damaged(target: apsw.Connection, damaged: Path) -> list[_TableRead]:
    """Copy what SQLite reads of each table, without locks and without a change to the file."""
    found = [_TableRead(table) for table in PRECIOUS]
    try:
        db = _open_damaged(damaged)
    except apsw.Error:
        return found
    with closing(db):
        for one in found:
            _copy_table(db, target, one)
            _compare_with_index(db, target, one)
    return found


def _open_damaged(damaged: Path) -> apsw.Connection:
    log = damaged.with_name(f"{damaged.name}-wal")
    has_log = log.is_file() and log.stat().st_size > 0
    uri = build_unlocked_uri(damaged) if has_log else f"{damaged.absolute().as_uri()}?immutable=1"
    db = apsw.Connection(uri, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    limit_connection(db)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    if has_log:
        keep_index_in_memory(db)
    db.pragma("writable_schema", 1)  # lets SQLite read a truncated file, and go on behind damage of the schema
    db.pragma("cell_size_check", 1)  # detects pages of noise
    return db


def _copy_table(db: apsw.Connection, target: apsw.Connection, one: _TableRead) -> None:
    """Copy a table forwards, and where a page cannot be read, backwards as well."""
    columns = PRECIOUS[one.table]
    places = ", ".join("?" * len(columns))
    insert = f"INSERT OR IGNORE INTO main.{one.table} ({', '.join(columns)}) VALUES ({places})"
    is_whole = True
    for order in _ORDERS.get(one.table, ("rowid", "rowid DESC")):
        try:
            for row in _select_rows(db, one.table, order):
                is_taken = _insert_row(target, insert, dict(zip(columns, row, strict=True)))
                one.count += is_taken and target.changes()
                is_whole &= is_taken
        except _READ_ERRORS:
            is_whole = False
        else:
            break
    one.is_whole = is_whole


def _select_rows(db: apsw.Connection, table: str, order: str) -> Iterator[tuple[Any, ...]]:
    """Select the rows of a stored table; a view or a computed column in its place is an error."""
    kinds = db.execute("SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ?", (table,)).fetchall()
    stored = db.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,)).fetchall()
    if kinds != [("table",)] or not {(name,) for name in PRECIOUS[table]} <= set(stored):
        raise apsw.CorruptError(f'"{table}" is no table of Aurora\'s')
    where = "WHERE path IS NULL" if table == "chunks" else ""
    return db.execute(f"SELECT {', '.join(PRECIOUS[table])} FROM {table} NOT INDEXED {where} ORDER BY {order}")


def _insert_row(target: apsw.Connection, insert: str, row: Mapping[str, Any]) -> bool:
    """Insert a row that Aurora may have written; return False for another."""
    if not is_plausible(row):
        return False
    try:
        target.execute(insert, tuple(row.values()))
    except (apsw.ConstraintError, apsw.MismatchError):
        return False
    return True


def is_plausible(row: Mapping[str, Any]) -> bool:
    """Check whether the document of a row is JSON; an overflow page may have other content."""
    # Aurora writes no text with a zero; a page of zeros in the place of another reads as one.
    if any(isinstance(value, str) and "\0" in value for value in row.values()):
        return False
    document = next((row[name] for name in ("metadata", "document") if name in row), "{}")
    try:
        return isinstance(document, str) and is_readable_document(document) and isinstance(json.loads(document), dict)
    except (ValueError, RecursionError):
        return False


def _compare_with_index(db: apsw.Connection, target: apsw.Connection, one: _TableRead) -> None:
    """Look for rows that only the index has: a page of another table in the place of one shows only so."""
    names = _list_names(db, one.table)
    if names is None:
        return
    read = set(target.execute(_KEYS[one.table]))
    # More keys than rows: a whole page of rows was replaced, which reading alone does not notice.
    if names > read:
        one.is_whole = False
    if not one.is_whole and names >= read:  # else the index is damaged, too
        one.names = names


def _list_names(db: apsw.Connection, table: str) -> set[tuple[Any, ...]] | None:
    """List the keys of all rows from an index; None where it cannot be read."""
    if table not in _NAMES:
        return None
    try:
        names = set(db.execute(_NAMES[table][0]))
        if table == "chunks":  # indexing makes those of files again
            own = {n for (n,) in db.execute(_SELECT_RECORD_NUMBERS)}
            return {(id_,) for id_, n in names if n in own}
    except _READ_ERRORS:
        return None
    return names


def _add_saved_rows(target: apsw.Connection, torn: Sequence[_TableRead]) -> dict[str, int]:
    """Add the backup's rows of the tables that were not read whole; return their numbers."""
    tables = {one.table: one for one in torn}
    added = {}
    if tables.keys() & {"runs", "steps"}:
        target.execute(_REMOVE_TORN_RUNS)
        target.execute(_REMOVE_THEIR_STEPS)
        missing = "run NOT IN (SELECT run FROM main.runs)"
        # the steps first, while their runs are still missing; this connection checks no foreign keys
        added = {table: _add_rows(target, table, missing) for table in ("steps", "runs")}
    for table, one in tables.items():
        if table in added:
            continue
        added[table] = _add_rows(target, table, "path IS NULL" if table == "chunks" else "TRUE")
        if table == "chunks" and one.names:  # what was forgotten after the backup stays forgotten
            known = json.dumps([name for (name,) in one.names])
            target.execute("DELETE FROM main.chunks WHERE id NOT IN (SELECT value FROM json_each(?))", (known,))
            added[table] = max(0, added[table] - target.changes())
    return {table: count for table, count in added.items() if count}


def _add_rows(target: apsw.Connection, table: str, where: str) -> int:
    names = ", ".join(PRECIOUS[table])
    if table == "undo":
        # Its rows have no key but a number, which both databases give anew.
        where = f"({names}) NOT IN (SELECT {names} FROM main.undo)"
    target.execute(f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM saved.{table} WHERE {where}")
    return target.changes()


def _describe_losses(target: apsw.Connection, found: Sequence[_TableRead], backup: Backup | None) -> list[str]:
    """List what is in neither source, by name where an index still has the names."""
    since = f", of those that were written after {backup.made_at}" if backup is not None else ""
    if not any(one.count or one.is_whole for one in found):
        what = f"what was written after {backup.made_at}" if backup is not None else "everything"
        return [f"{what}: nothing of the file can be read"]
    lost: list[str] = []
    for one in found:
        if one.is_whole:
            continue
        if one.names is None:
            lost.append(f'an unknown number of rows of "{one.table}"{since}')
            continue
        form = _NAMES[one.table][1]
        missing = sorted(one.names - set(target.execute(_KEYS[one.table])))
        lost += [form % name for name in missing[:_MAX_NAMED]]
        if len(missing) > _MAX_NAMED:
            lost.append(f'{len(missing) - _MAX_NAMED:,} more rows of "{one.table}"')
    return lost
