"""Open the project's database; the only module outside `sqlite` that decides which database it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.sqlite import BUSY_TIMEOUT, Store

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from aurora.memory.sqlite import After
    from aurora.memory.sqlite.backup import RestoreResult


def _rebuild_text_index(db: apsw.Connection) -> None:
    from aurora.memory.sqlite.tables import Tables  # noqa: PLC0415 - as below
    from aurora.memory.text_index import rebuild_index  # noqa: PLC0415 - a database that is up to date does without

    rebuild_index(Tables(db))


DATA_MIGRATIONS: After = {4: _rebuild_text_index}
"""Version N of the schema: what SQL cannot do, in the same transaction."""


def open_store(path: Path, *, read_only: bool = False, patience: float = BUSY_TIMEOUT) -> Store:
    """Open the database at `path`; create or upgrade it unless it is opened read-only.

    Args:
        path: the database file.
        read_only: create nothing and change nothing.
        patience: seconds to wait for another process's lock.

    Raises:
        Fault: when the file is damaged, newer than this program, not Aurora's, or not reachable.
    """
    return Store(path, read_only=read_only, patience=patience, after=DATA_MIGRATIONS)


def restore_backup(database: Path, name: str | None = None) -> RestoreResult:
    """Make the database what it was in a backup; see `sqlite.backup.restore`.

    Args:
        database: the file; need not exist.
        name: the backup's; the newest one without.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR when it is damaged, CONFLICT when it comes from a newer
            version, TIMEOUT when another process writes for too long.
    """
    from aurora.memory.sqlite.backup import restore_backup  # noqa: PLC0415 - few commands restore

    return restore_backup(database, name, after=DATA_MIGRATIONS)
