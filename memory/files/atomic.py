"""Scratch files, and replacement of a database by a new one."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import guard_commit
from aurora.system.files import commit_file, name_partial, remove_old_partials, sync_folder

from .locate import DATA_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_FOLDERS = 100
"""Folders in the data folder that are searched for partial files; Aurora itself creates a few."""
COMPANION_SUFFIXES = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps next to a database."""


@contextmanager
def open_scratch_path(target: Path) -> Iterator[Path]:
    """Yield a temporary path next to `target`, deleted at the end of the block.

    Raises:
        OSError: when it cannot be written.
    """
    remove_old_partials(target.parent)
    partial = target.with_name(name_partial(target.name))
    try:
        yield partial
    finally:
        for place in (partial, *(partial.with_name(partial.name + ending) for ending in COMPANION_SUFFIXES)):
            place.unlink(missing_ok=True)


@contextmanager
def stage_file(target: Path) -> Iterator[Path]:
    """Yield a temporary path that becomes `target` on success and is deleted on failure.

    Raises:
        OSError: when it cannot be written or moved.
    """
    with open_scratch_path(target) as partial:
        yield partial
        commit_file(partial, target)


def remove_leftovers(root: Path) -> None:
    """Delete the partial files of killed processes: at the top of a project, and below its data folder."""
    remove_old_partials(root)
    data = root / DATA_FOLDER
    # A clone may bring `.aurora` as a link: nothing is deleted behind it.
    if not data.is_symlink():
        for folder, _, _ in islice(os.walk(data), _MAX_FOLDERS):
            remove_old_partials(Path(folder))


def replace_database(finished: Path, database: Path) -> Path | None:
    """Replace a database by a finished one; keep the old one under another name.

    That is `memory.db.damaged-20260131-091500`. Its log is renamed too, since SQLite would replay it into the next
    database. There is always a database with the original name: a kill in between leaves the old one under both names,
    and `find_log` finds its log.

    Returns:
        The new name of the old one; None when there was none.

    Raises:
        OSError: when a file cannot be moved.
    """
    with guard_commit():
        return _swap_database(finished, database)


def _swap_database(finished: Path, database: Path) -> Path | None:
    aside = _choose_aside_path(database) if database.exists() else None
    if aside is not None:
        _link_or_copy(database, aside)
    companions = [
        (ending, place)
        for ending in COMPANION_SUFFIXES
        if (place := database.with_name(database.name + ending)).exists()
    ]
    # SQLite makes the -shm file again from the log, so that alone it is no reason to keep anything.
    kept = aside if any(ending != "-shm" and place.stat().st_size for ending, place in companions) else None
    for ending, place in companions:  # all together, or none when every log is empty
        place.rename(kept.with_name(kept.name + ending)) if kept is not None else place.unlink()
    # On the disk before the new database has the name: else a power cut could leave the old log next to it, and
    # SQLite would replay it.
    sync_folder(database.parent)
    commit_file(finished, database)
    return aside


def find_log(database: Path) -> Path | None:
    """Find the log of a database, even after an interrupted replacement; None without."""
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
    except (OSError, NotImplementedError):  # not every file system supports hard links
        shutil.copyfile(database, aside)
