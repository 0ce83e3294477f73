"""Replacement of a damaged database by a new one with its readable rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.files import open_scratch_path, replace_database
from aurora.memory.model import SalvageResult
from aurora.memory.sqlite import file
from aurora.memory.sqlite.backup import lock_exclusively
from aurora.memory.sqlite.connections import open_or_create
from aurora.memory.sqlite.errors import translate_errors

from .transfer import transfer_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from aurora.memory.storage import Tables

_BUSY_TIMEOUT = 5.0


def copy_readable_rows(
    source: Path, folder: Path, target: Path, finish: Callable[[Tables], list[str]]
) -> Sequence[str]:
    """Copy the readable rows of a foreign database; see `database.copy_readable_rows`."""
    with translate_errors(source):
        copy = folder / "foreign.db"
        for ending in ("", "-wal"):
            if (place := source.with_name(source.name + ending)).is_file():
                file.copy_file(place, folder / f"{copy.name}{ending}")
        open_or_create(target, busy_timeout=_BUSY_TIMEOUT, after={})
        _, lost = transfer_rows(copy, target, finish, busy_timeout=_BUSY_TIMEOUT)
        return lost


def replace_damaged(
    database: Path, is_damaged: Callable[[Path], bool], finish: Callable[[Tables], list[str]]
) -> SalvageResult:
    """Replace a damaged database by a new one with all readable records and runs.

    The damaged database is only copied until the new one is complete, so a kill leaves one of the two. If two processes
    salvage at the same time, the second keeps the result of the first.

    Args:
        database: the file.
        is_damaged: checks the file again after it is locked.
        finish: repairs the copied rows in the same transaction and returns what is lost.

    Raises:
        Fault: FORBIDDEN or UPSTREAM_ERROR when the folder cannot be written or the disk is full, TIMEOUT when another
            process writes or salvages for too long.
    """
    with translate_errors(database), lock_exclusively(database):
        if not is_damaged(database):
            return SalvageResult(None, {}, ())
        with open_scratch_path(database) as staged:
            open_or_create(staged, busy_timeout=_BUSY_TIMEOUT, after={})
            saved, lost = transfer_rows(database, staged, finish, busy_timeout=_BUSY_TIMEOUT)
            damaged = replace_database(staged, database)
            file.record_own(database)
            return SalvageResult(damaged, saved, lost)
