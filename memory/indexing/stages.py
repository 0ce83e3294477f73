"""Stages of an indexing one by one, in its own order of work: nothing is written into the memory."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.memory.files import discover_files, read_source
from aurora.memory.indexing.workers.jobs import parse_jobs
from aurora.memory.model.reports import SkippedFile

from .changes import find_changes, is_inside
from .run import ignore_progress, index_tree
from .scope import resolve_paths, resolve_root

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.memory.files import SourceText
    from aurora.memory.model.chunks import ParsedFile
    from aurora.memory.storage.store import Store

    from .run import Progress


def normalize_tree(root: Path, paths: Sequence[Path] = ()) -> Iterator[SourceText | SkippedFile]:
    """Read the files that an indexing would read, one at a time.

    Args:
        root: the project's folder.
        paths: only these files and folders inside it; empty for all.

    Raises:
        Fault: as `index_tree`.
    """
    root = resolve_root(root)
    within = resolve_paths(root, paths, ())
    for entry in discover_files(root, within):
        if is_inside(entry.path, within):
            yield entry if isinstance(entry, SkippedFile) else read_source(entry, root)


def extract_tree(
    root: Path, paths: Sequence[Path] = (), progress: Progress = ignore_progress
) -> Iterator[ParsedFile | SkippedFile]:
    """Parse the files that an indexing would read, and yield their parts, those of a batch together.

    Args:
        root: the project's folder.
        paths: only these files and folders inside it; empty for all.
        progress: as in `index_tree`.

    Raises:
        Fault: as `index_tree`.
    """
    root = resolve_root(root)
    found = find_changes(root, {}, resolve_paths(root, paths, ()))
    yield from found.skipped
    done, todo = 0, len(found.jobs)
    with closing(parse_jobs(root, found.jobs)) as batches:
        for batch in batches:
            yield from batch.files
            done += len(batch.files)
            progress(done, todo, f"parsed {done} of {todo} files")


def link_tree(scratch: Store, root: Path, progress: Progress = ignore_progress) -> Sequence[tuple[str, int, int, int]]:
    """Index the tree into an empty store, and return the counts of its references.

    Each row has path, kind, references and resolved ones. Linking needs the definitions of all files, so it has no
    smaller scope; it needs no embeddings.

    Args:
        scratch: an empty store, which is not the project's memory.
        root: the project's folder.
        progress: as in `index_tree`.

    Raises:
        Fault: as `index_tree`.
    """
    index_tree(scratch, root, progress=progress, purpose="scratch")
    with scratch.begin_read() as db:
        return list(db.references.count_by_file())
