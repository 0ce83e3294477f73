"""The writing half of indexing: one transaction for each batch of files, so that a kill loses only the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import store_chunks
from .documents import now
from .store_rows import ask, pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import apsw

    from .index_parse import Parsed
    from .index_survey import Known
    from .store import Store
    from .store_record import Record

_FILE = """
INSERT INTO files (path, language, size, mtime_ns, sha256, parsed) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET language = excluded.language, size = excluded.size, mtime_ns = excluded.mtime_ns,
    sha256 = excluded.sha256, parsed = excluded.parsed
"""


def known_files(store: Store) -> dict[str, Known]:
    """The files in the store by path."""
    with store.reading() as db:
        rows = ask(db, "SELECT path, size, mtime_ns, sha256 FROM files")
        return {path: (size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in rows}


def begin(store: Store, root: Path) -> None:
    """Note that a run has begun: until `finish`, the memory may hold only a part of the tree."""
    with store.writing() as db:
        _note(db, root=str(root), index_state="running")


def state(store: Store) -> str:
    """How the last run ended: `complete`, `running` when it was killed or still goes on, empty when there was none."""
    with store.reading() as db:
        return str(pairs(db, "SELECT key, value FROM facts").get("index_state", ""))


def finish(store: Store, root: Path, *, whole: bool) -> None:
    """Note when the run ended, and whether the memory now holds the `whole` tree."""
    with store.writing() as db:
        _note(db, root=str(root), index_state="complete" if whole else "running", indexed_at=now())
        db.pragma("optimize")


def write(store: Store, files: Sequence[Parsed]) -> int:
    """Replace what the store holds of these files, in one transaction.

    Returns:
        How many vectors were added.
    """
    with store.writing() as db:
        embedded = sum(_write_one(db, file) for file in files)
        if any(file.records is not None for file in files):
            store_chunks.changed(db)
    return embedded


def forget(store: Store, paths: Iterable[str]) -> None:
    """Take files out, with their chunks; accesses are kept, for a file may come back with another branch."""
    gone = list(paths)
    if not gone:
        return
    with store.writing() as db:
        db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))
        store_chunks.changed(db)


def _write_one(db: apsw.Connection, file: Parsed) -> int:
    facts = (file.path, file.language, file.size, file.mtime_ns, file.sha256, file.parsed)
    if file.records is None:
        db.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (file.size, file.mtime_ns, file.path))
        return 0
    db.execute(_FILE, facts)
    held = {row[0] for row in ask(db, "SELECT id FROM chunks WHERE path = ?", (file.path,))}
    store_chunks.remove(db, held - {record.chunk.id for record in file.records})
    return sum(_place(db, record, held) for record in file.records)


def _place(db: apsw.Connection, record: Record, held: set[str]) -> int:
    chunk = record.chunk
    if chunk.id not in held:
        store_chunks.insert(db, record)
        return record.vector is not None
    db.execute(
        "UPDATE chunks SET start_line = ?, end_line = ?, kind = ?, text = ?, metadata = ? WHERE id = ?",
        (chunk.start_line, chunk.end_line, chunk.kind, chunk.text, record.metadata, chunk.id),
    )
    return 0


def _note(db: apsw.Connection, **facts: str) -> None:
    db.executemany(
        "INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        tuple(facts.items()),
    )
