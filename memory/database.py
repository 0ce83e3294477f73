"""Choice of the database: the only module outside of `sqlite` and `postgres` that names either.

Every function imports what it needs on first use, through the lazy faces of the packages.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from aurora.errors import Code, Fault
from aurora.memory import files, sqlite, text_index
from aurora.system.environment import read_value
from aurora.system.programs import describe_extra_install

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.memory.model.reports import Backup, RecoveryResult, RestoreResult, ServerAddress
    from aurora.memory.records.view_store import ViewStore
    from aurora.memory.storage.store import Store, Tables

ResultT = TypeVar("ResultT")

BUSY_TIMEOUT = 5.0
"""Seconds to wait for a lock of another process."""


def open_store(
    path: Path, *, read_only: bool = False, busy_timeout: float = BUSY_TIMEOUT, cache_kib: int | None = None
) -> Store:
    """Open the database at `path`; create it unless it is opened read-only.

    Args:
        path: the database file.
        read_only: create nothing and change nothing.
        busy_timeout: the seconds to wait for a lock of another process.
        cache_kib: the most that each connection keeps of the file in memory; None for 32,000 KiB.

    Raises:
        Fault: the file is damaged, newer than this program, not Aurora's, or not reachable.
    """
    return sqlite.SqliteStore(path, read_only=read_only, busy_timeout=busy_timeout, cache_kib=cache_kib)


def find_server(environ: Mapping[str, str] = os.environ) -> ServerAddress | None:
    """Return the database server and the project that the person's environment names; None without one.

    No file of a project names it: a clone must not send the memory elsewhere.

    Raises:
        Fault: INVALID_INPUT for a URL or a name that is none, NOT_FOUND without the extra `team`.
    """
    url = read_value("AURORA_DATABASE", environ)
    return make_address(url, read_value("AURORA_PROJECT", environ)) if url else None


def make_address(url: str, project: str) -> ServerAddress:
    """Check the URL of a database server and the name of a project in it.

    Raises:
        Fault: as `find_server`.
    """
    try:
        from aurora.memory.postgres.address import parse_address  # noqa: PLC0415 - an extra that most installations do not have

        return parse_address(url, project)
    except ImportError as error:
        # Only the driver may be missing: an import that fails elsewhere is a broken installation, and no missing
        # extra.
        if (error.name or "").partition(".")[0] not in {"psycopg", "psycopg_pool"}:
            raise
        raise Fault(
            Code.NOT_FOUND,
            "a memory in a database server needs the extra `team`, which is not installed",
            help=f"{describe_extra_install('team')}; or unset AURORA_DATABASE",
        ) from None


def open_server(
    address: ServerAddress, path: Path, *, read_only: bool = False, busy_timeout: float = BUSY_TIMEOUT
) -> Store:
    """Open a project in a database server; its first write creates the project.

    Args:
        address: the server and the project.
        path: the place of a database file in the clone.
        read_only: create nothing and change nothing.
        busy_timeout: the seconds to wait for a lock of another process.

    Raises:
        Fault: UPSTREAM_ERROR when the server is not reachable, CONFLICT when it is too old or of a newer Aurora,
            NOT_FOUND when it is read-only and has no tables.
    """
    from aurora.memory.postgres.store import PostgresStore  # noqa: PLC0415 - as above

    return PostgresStore(address, path, read_only=read_only, busy_timeout=busy_timeout)


def check_server(address: ServerAddress) -> None:
    """Check that a database server answers and has the tables of a memory, or gets them.

    Raises:
        Fault: as `open_server`.
    """
    open_server(address, files.database_path(Path())).close()


def open_view(
    path: Path,
    server: ServerAddress | None = None,
    *,
    read_only: bool = False,
    busy_timeout: float = BUSY_TIMEOUT,
    cache_kib: int | None = None,
) -> ViewStore:
    """Open the database of a linked worktree with that of its repository; see `open_store`."""
    from aurora.memory.records import view_store  # noqa: PLC0415 - most projects have no linked worktree

    main = files.get_shared_database(path)
    shared = (
        open_store(main, read_only=read_only, busy_timeout=busy_timeout, cache_kib=cache_kib)
        if server is None
        else open_server(server, main, read_only=read_only, busy_timeout=busy_timeout)
    )
    try:
        view = open_store(path, read_only=read_only, busy_timeout=busy_timeout, cache_kib=cache_kib)
    except BaseException:
        shared.close()
        raise
    return view_store.ViewStore(view, shared)


def read_for_check(path: Path, read: Callable[[Tables | None], ResultT]) -> ResultT:
    """Read a database as it is in one read transaction, and again when it is changed meanwhile.

    Args:
        path: the file.
        read: reads the tables; None for an empty file.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, or one that others keep changing;
            FORBIDDEN when it is unreadable, TIMEOUT when it is locked, UPSTREAM_ERROR when it is too damaged.
    """
    return sqlite.read_for_check(path, read)


def settle_files(path: Path, *, moves: bool) -> bool:
    """Set files of a memory that this account did not make aside; return whether an own memory is there.

    Args:
        path: the database file, which may be missing.
        moves: the project may be written; else nothing is moved, and it is said.

    Raises:
        Fault: FORBIDDEN for a link, when a file cannot be moved, or when no key tells whose it is.
    """
    return sqlite.settle_files(path, moves=moves)


def list_foreign(path: Path) -> list[Path]:
    """List the databases at a place, or moved aside there, that this account did not make."""
    return sqlite.list_foreign(path)


def copy_database(source: Path, target: Path, *, checks: bool = True) -> None:
    """Copy a database to a new file without a log, and check the copy.

    Raises:
        Fault: as the store does.
    """
    sqlite.copy_aside(source, target, checks=checks)


def install_copy(staged: Path, path: Path) -> None:
    """Replace the content of the database at `path` by that of a copy, in one transaction.

    Raises:
        Fault: TIMEOUT when another process writes for too long.
    """
    sqlite.install_copy(staged, path)


def copy_index(staged: Path, path: Path) -> bool:
    """Copy the index of a database into that at `path`, in one transaction; its runs stay.

    Returns:
        False when it has or had an index or records; nothing is changed then.

    Raises:
        Fault: TIMEOUT when another process writes for too long.
    """
    return sqlite.copy_index(staged, path)


def create_backup(path: Path) -> Backup:
    """Copy the database to its backups on the user's request.

    Raises:
        Fault: NOT_FOUND without a memory, UPSTREAM_ERROR if it is damaged or the disk is full.
    """
    return sqlite.create_backup(path)


def list_backups(path: Path) -> tuple[Backup, ...]:
    """List the backups of a database, newest first."""
    return sqlite.list_backups(path)


def get_backup_folder(path: Path) -> Path:
    """Return the folder of the database's backups."""
    return sqlite.get_backup_folder(path)


def restore_backup(path: Path, name: str | None = None) -> RestoreResult:
    """Restore the database from a backup.

    Args:
        path: the database file, which may be missing.
        name: the backup's name; None chooses the newest whole one.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR when it is damaged, CONFLICT when it comes from a newer
            version, TIMEOUT when another process writes for too long.
    """
    return sqlite.restore_backup(path, name, finish=_add_record_words)


def _add_record_words(db: Tables) -> None:
    # A backup has records and runs but no index, so the words of its records are counted again here.
    text_index.add_records(db)
    # Caches of running servers follow the generation; without a new one they keep the words from before.
    db.meta.bump_generation()


def replace_damaged(
    path: Path, is_damaged: Callable[[Path], bool], finish: Callable[[Tables], list[str]]
) -> RecoveryResult:
    """Replace a damaged database by a new one with its readable rows, and those of the newest backup.

    Args:
        path: the database file.
        is_damaged: checks the file again after it is locked.
        finish: repairs the copied rows in the same transaction and returns what is lost.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or repairs for too long.
    """
    return sqlite.replace_damaged(path, is_damaged, finish)


def copy_readable_rows(
    source: Path, folder: Path, target: Path, finish: Callable[[Tables], list[str]]
) -> Sequence[str]:
    """Copy the records and runs of a database that may contain anything to a new one.

    Args:
        source: the database; only it and its log are read.
        folder: an empty folder for a copy of both.
        target: the new file, whose name ends in `.partial`.
        finish: repairs the copied rows in the same transaction and returns what is lost.

    Returns:
        The names of what is lost.

    Raises:
        Fault: as `replace_damaged`.
    """
    return sqlite.copy_readable_rows(source, folder, target, finish)


def get_engine_version() -> str:
    """Return the version of the SQLite library."""
    return sqlite.get_sqlite_version()


def list_expected_objects() -> set[str]:
    """List the tables, indexes and triggers of a new database."""
    return sqlite.list_expected_objects()
