"""The writing half of indexing: a transaction for every few batches of files, so that a kill loses only those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.graph.linking import link as graph_link
from aurora.memory.graph.linking import write as graph_write
from aurora.memory.model import ParsedFile, get_timestamp
from aurora.memory.text_index import write as lexicon_write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model import FileFingerprint
    from aurora.memory.storage import Store, Tables

    from .parse import ParsedBatch


def read_known_files(store: Store) -> dict[str, FileFingerprint]:
    """The files in the store by path."""
    with store.begin_read() as db:
        return db.files.get_known()


def begin_run(store: Store, root: Path) -> None:
    """Note that a run has begun: until `finish`, the memory may hold only a part of the tree."""
    with store.begin_write() as db:
        db.meta.update(root=str(root), index_state="running")


def read_state(store: Store) -> str:
    """How the last run ended: `complete`, `running` when it was killed or still goes on, empty when there was none."""
    with store.begin_read() as db:
        return db.meta.get("index_state") or ""


def finish_run(store: Store, root: Path, *, whole: bool) -> None:
    """Note when the run ended, and whether the memory now holds the `whole` tree."""
    with store.begin_write() as db:
        graph_link.link_references(db)
        db.meta.update(root=str(root), index_state="complete" if whole else "running", indexed_at=get_timestamp())
        db.optimize()


def write_batches(store: Store, batches: Iterable[ParsedBatch]) -> None:
    """Replace what the store holds of these files, in one transaction."""
    with store.begin_write() as db:
        changed = [_write_batch(db, batch) for batch in batches]
        if any(changed):
            lexicon_write.compact_segments(db)
            db.meta.bump_generation()


def _write_batch(db: Tables, batch: ParsedBatch) -> bool:
    """Whether anything but the time of a file has changed."""
    files = [file for file in batch.files if isinstance(file, ParsedFile)]
    changed = [file.path for file in files if file.rows is not None]
    n = first = db.chunks.get_next_number()
    vectors = _remove_replaced(db, changed)
    for file in files:
        n = _write_file(db, file, n, vectors)
    lexicon_write.add_documents(db, first, batch.words)
    return bool(changed)


def remove_files(store: Store, paths: Iterable[str]) -> None:
    """Take files out, with their chunks; accesses are kept, for a file may come back with another branch."""
    gone = list(paths)
    if not gone:
        return
    with store.begin_write() as db:
        db.files.remove(gone)
        db.meta.bump_generation()


def _remove_replaced(db: Tables, paths: Sequence[str]) -> dict[str, bytes]:
    """Take these files out, those that are there; the vectors of their chunks, by the chunk's id."""
    known = db.files.find_existing(paths)
    vectors: dict[str, bytes] = {}
    for path in known:
        vectors |= db.vectors.get_by_file(path)
    db.files.remove(known)
    return vectors


def _write_file(db: Tables, file: ParsedFile, n: int, vectors: Mapping[str, bytes]) -> int:
    """Write one file, its chunks numbered from `n` on; the number after its last.

    All its chunks get new numbers, so that they follow each other; ids, and the vectors of what is the same, stay.
    """
    if file.rows is None:
        db.files.update_stat(file)
        return n
    db.files.add(file)
    db.chunks.insert(n, file.rows)
    for place, (id_, type_, *_) in enumerate(file.rows if vectors else (), n):
        if body := vectors.get(id_):
            db.vectors.insert(place, type_, body)
    graph_write.write_facts(db, file.path, file.graph)
    return n + len(file.rows)
