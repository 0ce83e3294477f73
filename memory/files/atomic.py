"""Files that appear whole or not at all, and files that are set aside and never deleted."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aurora.faults import guard_commit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARTIAL_SUFFIX = ".partial"
_ABANDONED_SECONDS = 3600.0
"""Seconds after which a partial file belongs to a process that was killed."""
COMPANION_SUFFIXES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, by the ending of its name."""


@contextmanager
def open_scratch_path(target: Path) -> Iterator[Path]:
    """A path beside `target` to write a database to, which is gone when the block ends.

    Raises:
        OSError: when it cannot be written.
    """
    _remove_abandoned(target.parent)
    partial = target.with_name(f".{target.name}.{os.getpid()}{PARTIAL_SUFFIX}")
    try:
        yield partial
    finally:
        for place in (partial, *(partial.with_name(partial.name + ending) for ending in COMPANION_SUFFIXES)):
            place.unlink(missing_ok=True)


@contextmanager
def write_atomically(target: Path) -> Iterator[Path]:
    """A path to write to, which becomes `target` when the block ends well and is gone when it does not.

    Raises:
        OSError: when it cannot be written or moved.
    """
    with open_scratch_path(target) as partial:
        yield partial
        commit_file(partial, target)


def commit_file(partial: Path, target: Path) -> None:
    """Give a finished file its name, durably and at once.

    Raises:
        OSError: when it cannot be moved.
    """
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    with guard_commit():
        partial.replace(target)
    fsync_folder(target.parent)


def _remove_abandoned(folder: Path) -> None:
    """Delete what processes left that were killed while they wrote."""
    for old in folder.glob(f".*{PARTIAL_SUFFIX}*"):
        try:
            if time.time() - old.stat().st_mtime > _ABANDONED_SECONDS:
                old.unlink()
        except OSError:
            continue  # another process was faster


def fsync_folder(folder: Path) -> None:
    """Make a rename in a folder durable, where the system knows how."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows opens no folders
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_database(finished: Path, database: Path) -> Path | None:
    """Put a finished database in the place of another one, which gets a name that nothing opens.

    That is `memory.db.damaged-20260131-091500`, and the log goes with it: SQLite would play it into the database that
    comes next. The name is never without a database: a kill in between leaves the old one under both names, and
    `log_of` finds its log.

    Returns:
        The new name of the old one; None when there was none.

    Raises:
        OSError: when something cannot be moved.
    """
    with guard_commit():
        return _swap_database(finished, database)


def _swap_database(finished: Path, database: Path) -> Path | None:
    aside = _choose_aside_path(database) if database.exists() else None
    if aside is not None:
        _link_or_copy(database, aside)
    beside = [
        (ending, place)
        for ending in COMPANION_SUFFIXES
        if (place := database.with_name(database.name + ending)).exists()
    ]
    kept = aside if any(ending != "-shm" and place.stat().st_size for ending, place in beside) else None
    for ending, place in beside:  # all together, or none when no log says anything
        place.rename(kept.with_name(kept.name + ending)) if kept is not None else place.unlink()
    fsync_folder(database.parent)
    commit_file(finished, database)
    return aside


def find_log(database: Path) -> Path | None:
    """Where the log of a database is, also when a kill stopped its being set aside; None when it has none."""
    others = sorted(database.parent.glob(f"{database.name}.damaged-*"))
    same = [other for other in others if not other.name.endswith(COMPANION_SUFFIXES) and other.samefile(database)]
    logs = [name.with_name(f"{name.name}-wal") for name in (database, *same)]
    return next((log for log in logs if log.exists() and log.stat().st_size), None)


def _choose_aside_path(database: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    aside, count = database.with_name(f"{database.name}.damaged-{stamp}"), 1
    while aside.exists():
        count += 1
        aside = database.with_name(f"{database.name}.damaged-{stamp}-{count}")
    return aside


def _link_or_copy(database: Path, aside: Path) -> None:
    try:
        aside.hardlink_to(database)
    except (OSError, NotImplementedError):  # not every file system knows second names
        shutil.copyfile(database, aside)
