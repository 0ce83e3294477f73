"""Reuse of what is stored: files with a known content are not parsed."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.memory.database import open_store
from aurora.memory.files import database_path, hash_source, list_other_databases
from aurora.memory.model.chunks import ParsedFile
from aurora.memory.text_index import pack_documents
from aurora.system.environment import read_value

from .contents import FileState, decode_file, find_content
from .parse import ParsedBatch
from .write import MAX_BATCH_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.model.chunks import FileFingerprint
    from aurora.memory.storage.store import Store, Tables
    from aurora.memory.text_index import Document

    from .parse import ParseJob

_MAX_QUOTED_CHARS = 200


def reuse_contents(
    store: Store, root: Path, jobs: Sequence[ParseJob], known: Mapping[str, FileFingerprint], rules: str
) -> tuple[list[ParsedBatch], list[ParseJob]]:
    """Find the files whose content is stored: as they were, or as they were at an earlier commit.

    Args:
        store: the open database.
        root: the project's folder.
        jobs: the files whose size or time has changed.
        known: the files in the store, by path.
        rules: as `contents.build_rules_key` returns it.

    Returns:
        Batches that are ready to be written, and the files that have to be parsed.
    """
    with store.begin_read() as db:
        kept = db.contents.list_paths()
        found = [_find_content(db, root, job, rules) if _may_be_stored(job, known, kept) else None for job in jobs]
    left = [job for job, file in zip(jobs, found, strict=True) if file is None]
    elsewhere = _find_elsewhere(store.path, root, left, rules)
    files = [*(file for file in found if file is not None), *elsewhere.values()]
    return list(_build_batches(files)), [job for job in left if job.file.path not in elsewhere]


def _may_be_stored(job: ParseJob, known: Mapping[str, FileFingerprint], kept: set[str]) -> bool:
    path = job.file.path
    # Only where the content may be stored is a file read once more to hash it.
    return path in kept or (job.known is not None and known[path][0] == job.file.size)


def _find_content(db: Tables, root: Path, job: ParseJob, rules: str) -> tuple[ParsedFile, Document | None] | None:
    """Find the stored content of a file; None without one."""
    path = job.file.path
    hashed = hash_source(job.file, root)
    if hashed is None:
        return None
    state = FileState(path, *hashed)
    if state.sha256 == job.known:
        return ParsedFile(path, "", state.size, state.mtime_ns, state.sha256, parsed=True, rows=None), None
    body = db.contents.get(path, state.sha256, rules)
    return decode_file(body, state) if body is not None else None


def _find_elsewhere(
    database: Path, root: Path, jobs: Sequence[ParseJob], rules: str
) -> dict[str, tuple[ParsedFile, Document]]:
    """Find the contents of files in the indexes of other worktrees and of another clone, by path."""
    others = [*list_other_databases(database), *find_other_clone(database)] if jobs else []
    if not others:
        return {}
    # Hashed once for all indexes, and only where there is one: an ordinary project reads its files once, to parse
    # them.
    hashed = [(job.file.path, facts) for job in jobs if (facts := hash_source(job.file, root)) is not None]
    states = [FileState(path, *facts) for path, facts in hashed]
    found: dict[str, tuple[ParsedFile, Document]] = {}
    for path in others:
        # It only saves work: an index that is locked, damaged or of another version is passed over.
        with suppress(Fault), closing(open_store(path, read_only=True)) as store, store.begin_read() as db:
            for state in states:
                body = find_content(db, state, rules) if state.path not in found else None
                file = decode_file(body, state) if body is not None else None
                if file is not None:
                    found[state.path] = file
    return found


def find_other_clone(database: Path) -> list[Path]:
    """Find the memory of the clone that the person names; none without a name, or without a memory there."""
    named = read_value("AURORA_OTHER_CLONE")
    if not named:
        return []
    path = database_path(Path(named).expanduser().absolute(), {})
    return [path] if path.is_file() and not (database.exists() and path.samefile(database)) else []


def describe_missing_clone() -> str:
    """Describe a named clone that has no memory; empty when it has one, or none is named."""
    named = read_value("AURORA_OTHER_CLONE")
    if not named or database_path(Path(named).expanduser().absolute(), {}).is_file():
        return ""
    return (
        f'AURORA_OTHER_CLONE names "{named[:_MAX_QUOTED_CHARS]}", which has no memory, so every file was read here: '
        "run `aur mem index` there first, or name the folder of another clone"
    )


def _build_batches(found: Sequence[tuple[ParsedFile, Document | None]]) -> Iterator[ParsedBatch]:
    for first in range(0, len(found), MAX_BATCH_FILES):
        some = found[first : first + MAX_BATCH_FILES]
        documents = [document for _, document in some if document is not None]
        yield ParsedBatch(tuple(file for file, _ in some), pack_documents(documents))
