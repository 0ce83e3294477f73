"""Maintenance statistics: sizes, freshness, usage, and the files that are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.files import discover_files, read_source
from aurora.memory.indexing.freshness import compare_tree, read_indexed_files
from aurora.memory.indexing.state import describe_state
from aurora.memory.model.reports import SkippedFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.memory.storage.store import Store, Tables


@dataclass(frozen=True, slots=True)
class MaintenanceStats:
    """Statistics that `stats` does not contain.

    Attributes:
        sizes: bytes by part; `free` is unused pages, `log` is the write-ahead log.
        state: `complete`, `partial`, `running`, `stopped` (a run was cut short), or `never`.
        changed, new, gone: files since the last indexing; None if the project's folder is missing. With too many
            new files to read, `new` is at least so many, or None if an indexing takes none of those that were read.
        encodings: files that are not UTF-8, by the encoding that was guessed.
        accesses: the number of known accesses; `used` counts their chunks.
    """

    sizes: Mapping[str, int]
    state: str
    changed: int | None
    new: int | None
    gone: int | None
    accesses: int
    used: int
    encodings: Mapping[str, int]


def measure_maintenance(store: Store, root: Path) -> MaintenanceStats:
    """Measure the database, and `stat` every file of the project once.

    Args:
        store: the memory.
        root: the project's folder.

    Raises:
        Fault: see `sqlite.errors`.
    """
    with store.begin_read() as db:
        sizes = _measure_sizes(db, store)
        facts = db.meta.get_all()
        encodings = db.sizes.count_by_encoding()
        indexed, used = read_indexed_files(db, root), db.sizes.count_accesses()
    is_comparable = "indexed_at" in facts and root.is_dir()
    changed, new, gone = compare_tree(root, indexed) if is_comparable else (None, None, None)
    return MaintenanceStats(
        sizes=sizes,
        state=describe_state(store, facts) or "never",
        changed=changed,
        new=new,
        gone=gone,
        accesses=used.accesses,
        used=used.chunks,
        encodings=encodings,
    )


def _measure_sizes(db: Tables, store: Store) -> dict[str, int]:
    """Measure the bytes by part; none for a missing file."""
    if store.server is not None:
        return db.sizes.measure_parts() | {"log": 0}
    return db.sizes.measure_parts() | {"log": _get_log_size(store.path)} if store.path.exists() else {}


def _get_log_size(database: Path) -> int:
    log = database.with_name(f"{database.name}-wal")
    return log.stat().st_size if log.exists() else 0


def list_left_out(store: Store, root: Path) -> tuple[SkippedFile, ...]:
    """List the files that an indexing skips, sorted by path.

    It reads those that are not in the index.

    Args:
        store: the memory.
        root: the project's folder.

    Raises:
        Fault: see `storage.Store`.
    """
    with store.begin_read() as db:
        known = db.files.get_known()
    found = []
    for file in discover_files(root, ()) if root.is_dir() else ():
        # What is indexed was not left out, so only the other files have to be read.
        if not isinstance(file, SkippedFile) and file.path in known:
            continue
        source = file if isinstance(file, SkippedFile) else read_source(file, root)
        if isinstance(source, SkippedFile):
            found.append(source)
    return tuple(sorted(found, key=lambda one: one.path))
