"""Indexing run: update the store to the state of the tree; an unchanged file costs one `stat`."""

from __future__ import annotations

import time
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.memory.embeddings import embed_quantized, get_embedder
from aurora.memory.files import read_rules_key
from aurora.memory.indexing.workers.jobs import parse_jobs
from aurora.memory.model.chunks import format_embedding_text
from aurora.memory.model.reports import IndexReport, LeftOutLine, SkippedFile
from aurora.system.git.repository import read_branch, read_commit

from .changes import find_changes
from .contents import build_rules_key
from .left_out import select_left_out
from .reuse import reuse_contents
from .scope import resolve_paths, resolve_root
from .state import own_run
from .write import (
    ReadFiles,
    WholeTree,
    begin_run,
    finish_run,
    group_batches,
    read_known_files,
    read_stored_rules,
    remove_files,
    write_batches,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from aurora.memory.files import SourceFile
    from aurora.memory.model.chunks import FileFingerprint
    from aurora.memory.storage.store import Store

    from .changes import TreeChanges
    from .parse import ParsedBatch

    Progress = Callable[[float, float | None, str], None]
    Purpose = Literal["memory", "scratch", "commit"]

MAX_PATH_BYTES = 1_000
"""Longest path of a file in a database server; a key of an index in PostgreSQL has at most 2,704 bytes."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Ignore progress."""


def index_tree(
    store: Store,
    root: Path,
    *,
    paths: Sequence[Path] = (),
    progress: Progress = ignore_progress,
    purpose: Purpose = "memory",
) -> IndexReport:
    """Index the tree at `root`, or only the `paths` in it.

    Args:
        store: the open database.
        root: the project's folder.
        paths: files or folders inside it, absolute or relative to it; empty for all.
        progress: receives `(files done, files to do, message)` repeatedly.
        purpose: `scratch` leaves the embeddings out, since words and the code graph need none; `commit` does the same
            with a tree of the files of a commit and nothing else, all of which git tracks.

    Raises:
        Fault: NOT_FOUND when the root does not exist, INVALID_INPUT when it is not a folder, FORBIDDEN when it is not
            readable or a path is outside it; and the faults of the store.
    """
    started = time.perf_counter()
    store.require_writable()
    root = resolve_root(root)
    progress(0, None, "looking for files")
    plan = _plan_run(store, root, paths, is_export=purpose == "commit")
    tally = _IndexTally(plan.known)
    todo = plan.count_files()
    _write_changes(store, plan, tally, lambda: progress(tally.done, todo, f"indexed {tally.done} of {todo} files"))
    tally.seconds = time.perf_counter() - started
    # After the words: a search finds the new files by their terms while the slow half goes on.
    if purpose == "memory":
        tally.embedded = embed_missing(store, lambda message: progress(tally.done, todo, message))
    tally.embedding_seconds = time.perf_counter() - started - tally.seconds
    return _build_report(store, root, plan.found, tally)


class _IndexPlan(NamedTuple):
    """Plan of an indexing run.

    Attributes:
        root: the project's folder.
        known: the files in the store, by path.
        rules: key of the rules for secrets.
        found: the changes of the tree; its jobs are the files to parse.
        candidates: the files that are new or changed, among them those that an indexing leaves out.
        reused: the files whose content is stored.
        keep: key of the rules by which replaced contents are kept for later use; empty to keep none.
        tree: the facts of the whole tree; None for a part of it.
    """

    root: Path
    known: dict[str, FileFingerprint]
    rules: str
    found: TreeChanges
    candidates: list[SourceFile]
    reused: list[ParsedBatch]
    keep: str
    tree: WholeTree | None

    @property
    def has_changes(self) -> bool:
        """True if files are written or removed."""
        return bool(self.found.jobs or self.found.removed or self.reused)

    def count_files(self) -> int:
        """Count the files to write."""
        return len(self.found.jobs) + sum(len(batch.files) for batch in self.reused)


def _plan_run(store: Store, root: Path, paths: Sequence[Path], *, is_export: bool) -> _IndexPlan:
    """Compare the tree with the store."""
    known, rules = read_known_files(store), read_rules_key(root)
    within = resolve_paths(root, paths, known)
    # before the listing: a switch during the run is noticed later
    commit = read_commit(root)
    tree = None if within else WholeTree(rules, commit, read_branch(root))
    # A memory that was made with older rules holds the secrets that they missed: every file is read again.
    rereads = read_stored_rules(store) != rules
    found = find_changes(root, known, within, reread=rereads, is_export=is_export)
    candidates = [job.file for job in found.jobs]
    if store.server is not None:
        _leave_out_long_paths(found)
    reused, found.jobs = reuse_contents(store, root, found.jobs, known, build_rules_key(rules))
    # Only another commit is likely to be left again for this one; an edit keeps nothing.
    keep = "" if rereads or not _has_moved(store, commit) else build_rules_key(rules)
    return _IndexPlan(root, known, rules, found, candidates, reused, keep, tree)


def _write_changes(store: Store, plan: _IndexPlan, tally: _IndexTally, report: Callable[[], None]) -> None:
    """Write and remove the files of a plan as one run, and call `report` after each group of batches."""
    # A run without changes does not mark itself: it must not end the run that another process is in.
    before = None
    with own_run(store) as owner:
        if plan.has_changes:
            rules = "" if plan.known else plan.rules
            before = begin_run(store, plan.root, owner=owner, rules=rules, whole=plan.tree is not None)
            with closing(parse_jobs(plan.root, plan.found.jobs)) as batches:  # an exception ends the processes, too
                for group in group_batches(chain(plan.reused, batches)):
                    tally.write_batches(store, group, plan.keep)
                    report()
            # A file that is no longer text, or now has the name of a secret, leaves the index.
            gone = [*plan.found.removed, *(skip.path for skip in tally.skipped if skip.path in plan.known)]
            remove_files(store, gone, plan.keep)
        skipped = [*plan.found.skipped, *tally.skipped]
        read = ReadFiles(plan.tree, plan.rules, select_left_out(plan.candidates, skipped))
        finish_run(store, plan.root, owner=owner, before=before, read=read)


def _leave_out_long_paths(found: TreeChanges) -> None:
    """Skip files whose path is too long for a key of a database server."""
    paths = (job.file.path for job in found.jobs)
    long = {path for path in paths if len(path.encode()) > MAX_PATH_BYTES}
    detail = f"its path has more than {MAX_PATH_BYTES:,} bytes"
    found.skipped += [SkippedFile(path, "name", detail) for path in sorted(long)]
    found.seen -= len(long)
    found.jobs = [job for job in found.jobs if job.file.path not in long]


def _has_moved(store: Store, commit: str) -> bool:
    """Return True if another commit was checked out when the whole tree was indexed."""
    with store.begin_read() as db:
        before = db.meta.get("commit")
    return bool(before and commit and before != commit)


class _IndexTally:
    """The counts of an indexing run, updated as batches are written."""

    def __init__(self, known: dict[str, tuple[int, int, str]]) -> None:
        self._known = known
        self.skipped: list[SkippedFile] = []
        self.left_out: list[LeftOutLine] = []
        self.done = self.added = self.changed = self.touched = self.embedded = 0
        self.seconds = self.embedding_seconds = 0.0

    def write_batches(self, store: Store, batches: Sequence[ParsedBatch], keep: str) -> None:
        """Write batches, and count their files."""
        write_batches(store, batches, keep)
        results = [result for batch in batches for result in batch.files]
        self.skipped += [result for result in results if isinstance(result, SkippedFile)]
        self.done += len(results)
        for file in results:
            if isinstance(file, SkippedFile):
                continue
            self.left_out += [LeftOutLine(file.path, line, kind) for line, kind in file.left_out]
            if file.rows is None:
                self.touched += 1
            elif file.path in self._known:
                self.changed += 1
            else:
                self.added += 1


def _build_report(store: Store, root: Path, found: TreeChanges, tally: _IndexTally) -> IndexReport:
    with store.begin_read() as db:
        chunks, unparsed = db.chunks.count(), db.files.count_unparsed()
    late = {skip.path for skip in tally.skipped}
    return IndexReport(
        root=str(root),
        files=found.seen - len(late),
        added=tally.added,
        changed=tally.changed,
        unchanged=found.unchanged + tally.touched,
        removed=len(found.removed),
        chunks=chunks,
        embedded=tally.embedded,
        unparsed=unparsed,
        bytes=found.size,
        seconds=tally.seconds + tally.embedding_seconds,
        embedding_seconds=tally.embedding_seconds,
        left_out=tuple(tally.left_out),
        skipped=tuple(sorted([*found.skipped, *tally.skipped], key=lambda skip: skip.path)),
    )


BATCH_CHUNKS = 2000
"""Chunks of one transaction; a kill loses the work on one transaction."""


def embed_missing(store: Store, report: Callable[[str], None]) -> int:
    """Embed the chunks without a vector; do nothing without an embedder.

    Args:
        store: the open database.
        report: receives a progress message after each batch.

    Returns:
        The number of embedded chunks.
    """
    with store.begin_read() as db:
        missing = db.vectors.count_missing()
    if missing <= 0 or get_embedder() is None:
        return 0
    done, last = 0, 1 << 62
    while done < missing:
        with store.begin_read() as db:
            rows = db.vectors.list_unembedded(last, min(BATCH_CHUNKS, missing - done))
        if not rows:
            break  # another process was faster
        vectors = embed_quantized([format_embedding_text(path, symbol, text) for _, _, path, symbol, text in rows])
        with store.begin_write() as db:
            # Another process may have removed or renumbered some of them while they were embedded outside of a
            # transaction.
            alive = db.chunks.find_existing_numbers(rows[-1][0], rows[0][0])
            for (n, type_, *_), body in zip(rows, vectors, strict=True):
                if n in alive:
                    db.vectors.insert(n, type_, body or b"")
            db.meta.bump_generation()
        done += len(rows)
        last = rows[-1][0]
        report(f"embedded {done:,} of {missing:,} chunks")
    return done
