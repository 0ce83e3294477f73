"""Writing of parsed files: one transaction for every few batches, so that a kill loses only those."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.graph import adjacency, link
from aurora.memory.model.chunks import ParsedFile
from aurora.memory.model.json_columns import get_timestamp
from aurora.memory.text_index import write as lexicon_write

from . import contents
from .left_out import store_left_out
from .state import mark_begun, mark_ended

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.chunks import FileFingerprint
    from aurora.memory.storage.store import Store, Tables

    from .parse import ParsedBatch, ParseJob

MAX_BATCH_BYTES = 1_000_000


MIN_BATCH_BYTES = 100_000


MAX_BATCH_FILES = 256


BATCHES_PER_TRANSACTION = 4
"""Batches of one transaction: database pages that each of them changes, those of the indices, are written once."""


def split_batches(jobs: Sequence[ParseJob], processes: int) -> Iterator[list[ParseJob]]:
    """Split the files, in their order, into batches that get shorter, so that all processes end together.

    Each is half of a process's share of the rest (guided self-scheduling, Polychronopoulos and Kuck 1987), between
    `MIN_BATCH_BYTES` and `MAX_BATCH_BYTES`; its last file may exceed that.

    Args:
        jobs: the files.
        processes: the number of parsing processes.
    """
    batch: list[ParseJob] = []
    size, left = 0, sum(job.file.size for job in jobs)
    # One process has nobody to end together with: small batches would only mean more transactions.
    least = MIN_BATCH_BYTES if processes > 1 else MAX_BATCH_BYTES
    for job in jobs:
        batch.append(job)
        size += job.file.size
        if size >= min(MAX_BATCH_BYTES, max(least, left // (2 * processes))) or len(batch) >= MAX_BATCH_FILES:
            yield batch
            batch, size, left = [], 0, left - size
    if batch:
        yield batch


def group_batches(batches: Iterable[ParsedBatch]) -> Iterator[list[ParsedBatch]]:
    """Group batches into transactions: the first alone, then a few at a time.

    So progress shows early.
    """
    rest = iter(batches)
    some = list(islice(rest, 1))
    while some:
        yield some
        some = list(islice(rest, BATCHES_PER_TRANSACTION))


class WholeTree(NamedTuple):
    """Facts of a tree that was indexed as a whole.

    Attributes:
        rules: key of the rules for secrets by which it was read.
        commit: the commit that was checked out; empty without one.
        branch: the branch that was checked out; empty without one.
    """

    rules: str
    commit: str
    branch: str


class ReadFiles(NamedTuple):
    """Facts of the files that a run has read.

    Attributes:
        tree: facts of the whole tree; None for a part of it.
        rules: key of the rules for secrets by which they were read.
        left_out: the states of those that are not in the index, as `left_out.select_left_out` returns them.
    """

    tree: WholeTree | None
    rules: str
    left_out: Sequence[str]


_REPACK_REFERENCES = 5_000
"""After linking more references than this, the adjacency arrays are stored with them."""


def read_known_files(store: Store) -> dict[str, FileFingerprint]:
    """Read the fingerprints of the files in the store, by path."""
    with store.begin_read() as db:
        return db.files.get_known()


def begin_run(store: Store, root: Path, *, owner: str, rules: str = "", whole: bool = True) -> str:
    """Record that a run has begun: until `finish_run`, the memory may contain only a part of the tree.

    Args:
        store: the open database.
        root: the project's folder.
        owner: the owner of the run, see `state.own_run`.
        rules: key of the rules for secrets by which all files of the memory are read; empty when older ones are there.
        whole: True for a run over the whole tree.

    Returns:
        The state before.
    """
    with store.begin_write() as db:
        before = mark_begun(db, owner, whole=whole)
        db.meta.update(root=str(root))
        # Only where no file was read by older rules; else a kill would leave their secrets under the new key.
        if rules:
            db.meta.update(secret_rules=rules)
    return before


def read_stored_rules(store: Store) -> str:
    """Read the key of the rules for secrets by which the whole tree was read; empty for an older memory."""
    with store.begin_read() as db:
        return db.meta.get("secret_rules") or ""


def finish_run(store: Store, root: Path, *, owner: str, before: str | None, read: ReadFiles) -> None:
    """Link the references, and record the end of the run.

    Args:
        store: the open database.
        root: the project's folder.
        owner: the owner of the run.
        before: the state that `begin_run` returned; None when there was nothing to write.
        read: what is known of the files that were read.
    """
    tree = read.tree
    with store.begin_write() as db:
        if link.link_references(db) > _REPACK_REFERENCES:
            adjacency.store_packed(db)
        mark_ended(db, owner, before, whole=tree is not None)
        db.meta.update(root=str(root), indexed_at=get_timestamp())
        store_left_out(db, read.rules, read.left_out, whole=tree is not None)
        if tree is not None:
            db.meta.update(secret_rules=tree.rules, commit=tree.commit, branch=tree.branch)
            db.contents.trim(contents.build_rules_key(tree.rules), contents.MAX_KEPT_BYTES)
        # A large write leaves the statistics by which SQLite plans its searches far behind the tables.
        db.optimize()


def write_batches(store: Store, batches: Iterable[ParsedBatch], keep: str = "") -> None:
    """Replace the rows of these files in one transaction.

    Args:
        store: the open database.
        batches: the files.
        keep: key of the rules by which replaced contents are kept for later use; empty to keep none.
    """
    with store.begin_write() as db:
        changed = [_write_batch(db, batch, keep) for batch in batches]
        if any(changed):
            lexicon_write.compact_segments(db)
            db.meta.bump_generation()


def _write_batch(db: Tables, batch: ParsedBatch, keep: str) -> bool:
    """Write one batch; return whether more than the modification times changed."""
    files = [file for file in batch.files if isinstance(file, ParsedFile)]
    changed = [file.path for file in files if file.rows is not None]
    n = first = db.chunks.get_next_number()
    if keep:
        contents.keep_contents(db, changed, keep)
    # A chunk that only moved keeps its id and so its vector: embedding is the slow half of an indexing.
    vectors = _remove_replaced(db, changed)
    for file in files:
        vectors |= file.vectors or {}
        n = _write_file(db, file, n, vectors)
    # These came from the kept contents and are in the index again.
    db.contents.remove((file.path, file.sha256) for file in files if file.vectors is not None)
    lexicon_write.add_documents(db, first, batch.words)
    return bool(changed)


def remove_files(store: Store, paths: Iterable[str], keep: str = "") -> None:
    """Remove files with their chunks; usage stays, because another branch may bring a file back.

    Args:
        store: the open database.
        paths: the files.
        keep: as in `write_batches`.
    """
    gone = list(paths)
    if not gone:
        return
    with store.begin_write() as db:
        if keep:
            contents.keep_contents(db, gone, keep)
        db.files.remove(gone)
        db.meta.bump_generation()


def _remove_replaced(db: Tables, paths: Sequence[str]) -> dict[str, bytes]:
    """Remove the stored ones of these files; return the vectors of their chunks by the chunk's id."""
    known = db.files.find_existing(paths)
    vectors: dict[str, bytes] = {}
    for path in known:
        vectors |= db.vectors.get_by_file(path)
    db.files.remove(known)
    return vectors


def _write_file(db: Tables, file: ParsedFile, n: int, vectors: Mapping[str, bytes]) -> int:
    """Write one file, its chunks numbered from `n`; return the number after its last.

    All chunks get new, consecutive numbers. Ids stay, and so do the vectors of unchanged chunks.
    """
    if file.rows is None:
        db.files.update_stat(file)
        return n
    db.files.add(file)
    db.chunks.insert(n, file.rows)
    for place, (id_, type_, *_) in enumerate(file.rows if vectors else (), n):
        if body := vectors.get(id_):
            db.vectors.insert(place, type_, body)
    link.write_facts(db, file.path, file.graph)
    return n + len(file.rows)
