"""How big each part of the database is, how fresh it is against the tree, and how much it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.files import read_source
from aurora.memory.indexing import find_changes
from aurora.memory.model import SkippedFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.memory.files import SourceFile
    from aurora.memory.sqlite import Store

_MAX_FILES_READ = 300
"""Files that are not known and are read, to see whether an indexing would take them; more are taken to be new."""


@dataclass(frozen=True, slots=True)
class MaintenanceStats:
    """What `stats` does not count.

    Attributes:
        sizes: bytes by part; `free` are pages that the next writes use, `log` is what lies in the write-ahead log.
        state: `complete`, `running` (also when stopped in between), `outgrown`, or `never`.
        changed, new, gone: files since the last indexing; None when the project's folder is not there.
        accesses: how often chunks were used, as far as it is kept; `used` counts the chunks.
    """

    sizes: Mapping[str, int]
    state: str
    changed: int | None
    new: int | None
    gone: int | None
    accesses: int
    used: int


def measure_maintenance(store: Store, root: Path) -> MaintenanceStats:
    """Measure the database, and look at every file of the project once, at the cost of a `stat`.

    Args:
        store: the memory.
        root: the project's folder as it is now.

    Raises:
        Fault: see `sqlite.complaints`.
    """
    with store.begin_read() as db:
        sizes = db.sizes.measure_parts() | {"log": _get_log_size(store.path)} if store.path.exists() else {}
        facts = db.meta.get_all()
        known, used = db.files.get_known(), db.sizes.count_accesses()
    changed, new, gone = _count_changes(root, known, facts.get("indexed_at"))
    return MaintenanceStats(sizes, facts.get("index_state", "never"), changed, new, gone, used.accesses, used.chunks)


def _get_log_size(database: Path) -> int:
    log = database.with_name(f"{database.name}-wal")
    return log.stat().st_size if log.exists() else 0


def _count_changes(
    root: Path, known: dict[str, tuple[int, int, str]], indexed_at: str | None
) -> tuple[int | None, int | None, int | None]:
    """Files changed, new and gone."""
    if indexed_at is None or not root.is_dir():
        return None, None, None
    found = find_changes(root, known, ())
    unknown = [job.file for job in found.jobs if job.file.path not in known]
    new = sum(_is_wanted(file, root) for file in unknown) if len(unknown) <= _MAX_FILES_READ else len(unknown)
    return len(found.jobs) - len(unknown), new, len(found.removed)


def _is_wanted(file: SourceFile, root: Path) -> bool:
    """Whether an indexing would take it: what it left out, for it is binary or generated, is not new for ever."""
    return not isinstance(read_source(file, root), SkippedFile)
