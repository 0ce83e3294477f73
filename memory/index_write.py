"""The writing half of indexing: a transaction for every few batches of files, so that a kill loses only those."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from . import graph_link, graph_write, lexicon_write, store_chunks
from .documents import now
from .index_parse import Parsed
from .sqlite.rows import ask, pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import apsw

    from .index_parse import Batch
    from .index_survey import Known
    from .sqlite.store import Store


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
        graph_link.link(db)
        _note(db, root=str(root), index_state="complete" if whole else "running", indexed_at=now())
        db.pragma("optimize")


def write(store: Store, batches: Iterable[Batch]) -> None:
    """Replace what the store holds of these files, in one transaction."""
    with store.writing() as db:
        changed = [_write(db, batch) for batch in batches]
        if any(changed):
            lexicon_write.tidy(db)
            store_chunks.changed(db)


def _write(db: apsw.Connection, batch: Batch) -> bool:
    """Whether anything but the time of a file has changed."""
    files = [file for file in batch.files if isinstance(file, Parsed)]
    changed = [file.path for file in files if file.rows is not None]
    n = first = lexicon_write.next_number(db)
    vectors = _replaced(db, changed)
    for file in files:
        n = _write_one(db, file, n, vectors)
    lexicon_write.add(db, first, batch.words)
    return bool(changed)


def forget(store: Store, paths: Iterable[str]) -> None:
    """Take files out, with their chunks; accesses are kept, for a file may come back with another branch."""
    gone = list(paths)
    if not gone:
        return
    with store.writing() as db:
        db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))
        store_chunks.changed(db)


def _replaced(db: apsw.Connection, paths: Sequence[str]) -> dict[str, bytes]:
    """Take these files out, those that are there; the vectors of their chunks, by the chunk's id."""
    sql = "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?))"
    known = [path for (path,) in ask(db, sql, (json.dumps(paths),))]
    vectors: dict[str, bytes] = {}
    for path in known:
        vectors |= pairs(db, "SELECT id, body FROM chunks JOIN vectors USING (n) WHERE path = ?", (path,))
    db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in known))
    return vectors


def _write_one(db: apsw.Connection, file: Parsed, n: int, vectors: Mapping[str, bytes]) -> int:
    """Write one file, its chunks numbered from `n` on; the number after its last.

    All its chunks get new numbers, so that they follow each other; ids, and the vectors of what is the same, stay.
    """
    if file.rows is None:
        db.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (file.size, file.mtime_ns, file.path))
        return n
    facts = (file.path, file.language, file.size, file.mtime_ns, file.sha256, file.parsed)
    db.execute("INSERT INTO files (path, language, size, mtime_ns, sha256, parsed) VALUES (?, ?, ?, ?, ?, ?)", facts)
    db.executemany(store_chunks.INSERT, ((place, *row) for place, row in enumerate(file.rows, n)))
    for place, (id_, type_, *_) in enumerate(file.rows if vectors else (), n):
        if body := vectors.get(id_):
            store_chunks.place_vector(db, place, type_, body)
    graph_write.write(db, file.path, file.graph)
    return n + len(file.rows)


def _note(db: apsw.Connection, **facts: str) -> None:
    db.executemany(
        "INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        tuple(facts.items()),
    )
