"""The writing half of indexing: a transaction for every few batches of files, so that a kill loses only those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.graph.linking import link as graph_link
from aurora.memory.graph.linking import write as graph_write
from aurora.memory.model.indexing import Parsed
from aurora.memory.model.json_columns import now
from aurora.memory.text_index import write as lexicon_write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.indexing import Known
    from aurora.memory.sqlite.store import Store
    from aurora.memory.sqlite.tables.all import Tables

    from .parse import Batch


def known_files(store: Store) -> dict[str, Known]:
    """The files in the store by path."""
    with store.reading() as db:
        return db.files.known()


def begin(store: Store, root: Path) -> None:
    """Note that a run has begun: until `finish`, the memory may hold only a part of the tree."""
    with store.writing() as db:
        db.facts.note(root=str(root), index_state="running")


def state(store: Store) -> str:
    """How the last run ended: `complete`, `running` when it was killed or still goes on, empty when there was none."""
    with store.reading() as db:
        return db.facts.get("index_state") or ""


def finish(store: Store, root: Path, *, whole: bool) -> None:
    """Note when the run ended, and whether the memory now holds the `whole` tree."""
    with store.writing() as db:
        graph_link.link(db)
        db.facts.note(root=str(root), index_state="complete" if whole else "running", indexed_at=now())
        db.tune()


def write(store: Store, batches: Iterable[Batch]) -> None:
    """Replace what the store holds of these files, in one transaction."""
    with store.writing() as db:
        changed = [_write(db, batch) for batch in batches]
        if any(changed):
            lexicon_write.tidy(db)
            db.facts.chunks_changed()


def _write(db: Tables, batch: Batch) -> bool:
    """Whether anything but the time of a file has changed."""
    files = [file for file in batch.files if isinstance(file, Parsed)]
    changed = [file.path for file in files if file.rows is not None]
    n = first = db.chunks.next_number()
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
        db.files.remove(gone)
        db.facts.chunks_changed()


def _replaced(db: Tables, paths: Sequence[str]) -> dict[str, bytes]:
    """Take these files out, those that are there; the vectors of their chunks, by the chunk's id."""
    known = db.files.there(paths)
    vectors: dict[str, bytes] = {}
    for path in known:
        vectors |= db.vectors.of_file(path)
    db.files.remove(known)
    return vectors


def _write_one(db: Tables, file: Parsed, n: int, vectors: Mapping[str, bytes]) -> int:
    """Write one file, its chunks numbered from `n` on; the number after its last.

    All its chunks get new numbers, so that they follow each other; ids, and the vectors of what is the same, stay.
    """
    if file.rows is None:
        db.files.touch(file)
        return n
    db.files.add(file)
    db.chunks.insert(n, file.rows)
    for place, (id_, type_, *_) in enumerate(file.rows if vectors else (), n):
        if body := vectors.get(id_):
            db.vectors.put(place, type_, body)
    graph_write.write(db, file.path, file.graph)
    return n + len(file.rows)
