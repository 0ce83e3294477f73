"""Statistics of the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.model import Stats

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.storage import Store


def collect_stats(store: Store, shared: Store) -> Stats:
    """Collect counts by type and language, size on disk, time of the last index run.

    Args:
        store: the database with the index.
        shared: the database with the runs; the same except for a linked worktree.

    Raises:
        Fault: see `storage.Store`.
    """
    with store.begin_read() as db:
        counts = db.sizes.count_rows()
        chunks, languages = db.sizes.count_by_type(), db.sizes.count_by_language()
        meta = db.meta.get_all()
        size = sum(db.sizes.measure_parts().values()) if store.server else 0
    with shared.begin_read() as db:
        runs = db.sizes.count_rows().runs
    return Stats(
        path=store.server or str(store.path),
        schema_version=store.schema_version,
        size_bytes=size if store.server else _measure_size(store.path),
        files=counts.files,
        chunks={type_: chunks.get(type_, 0) for type_ in ("code", "know", "reas")},
        languages=languages,
        vectors=counts.vectors,
        runs=runs,
        indexed_at=meta.get("indexed_at"),
        root=meta.get("root"),
        commit=meta.get("commit", ""),
        branch=meta.get("branch", ""),
        nodes=counts.nodes,
    )


def _measure_size(path: Path) -> int:
    """Return the size of the database file and its write-ahead log."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
