"""Maintenance statistics: sizes, freshness, and usage."""

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
    from aurora.memory.storage import Store

_MAX_FILES_READ = 300
"""Most unknown files that are read to decide if indexing takes them; beyond that, all count as new."""


@dataclass(frozen=True, slots=True)
class MaintenanceStats:
    """Statistics that `stats` does not contain.

    Attributes:
        sizes: bytes by part; `free` is unused pages, `log` is the write-ahead log.
        state: `complete`, `running` (also if interrupted), `outgrown`, or `never`.
        changed, new, gone: files since the last indexing; None if the project's folder is missing.
        accesses: the number of known accesses; `used` counts their chunks.
    """

    sizes: Mapping[str, int]
    state: str
    changed: int | None
    new: int | None
    gone: int | None
    accesses: int
    used: int


def measure_maintenance(store: Store, root: Path) -> MaintenanceStats:
    """Measure the database, and `stat` every file of the project once.

    Args:
        store: the memory.
        root: the project's folder.

    Raises:
        Fault: see `sqlite.errors`.
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
    """Count changed, new and removed files."""
    if indexed_at is None or not root.is_dir():
        return None, None, None
    found = find_changes(root, known, ())
    unknown = [job.file for job in found.jobs if job.file.path not in known]
    new = sum(_is_wanted(file, root) for file in unknown) if len(unknown) <= _MAX_FILES_READ else len(unknown)
    return len(found.jobs) - len(unknown), new, len(found.removed)


def _is_wanted(file: SourceFile, root: Path) -> bool:
    """Check whether indexing takes the file; binary and generated files stay out."""
    return not isinstance(read_source(file, root), SkippedFile)
