"""Repair: salvage a damaged file, repair rows in place, then index."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.database import open_store, settle_files
from aurora.memory.indexing import index_tree
from aurora.memory.memory import Memory

from .check import DAMAGE_CODES, check_memory, check_store, migrate_database
from .findings import Finding
from .repair_parts import repair_parts
from .salvage import salvage_database

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model import Backup, IndexReport
    from aurora.memory.storage import Store

    from .findings import MemoryPart

    Progress = Callable[[float, float | None, str], None]


@dataclass(frozen=True, slots=True)
class RepairResult:
    """Result of a repair.

    Attributes:
        found: the findings before the repair.
        left: the findings after the repair.
        before: the backup made before a repair in place.
        aside: the new place of a damaged database file.
        saved: the number of rows salvaged from it, by table.
        lost: the names of what is lost.
        indexed: the report of the indexing; None if there was nothing to repair.
    """

    found: Sequence[Finding]
    remaining: Sequence[Finding] = ()
    previous_backup: Backup | None = None
    damaged_path: Path | None = None
    saved: Mapping[str, int] = field(default_factory=dict)
    lost: Sequence[str] = ()
    indexed: IndexReport | None = None


def repair_memory(database: Path, root: Path, progress: Progress) -> RepairResult:
    """Repair the memory.

    Args:
        database: the file.
        root: the project's folder, which is indexed again.
        progress: called with `(done, total or None, message)`.

    Raises:
        Fault: NOT_FOUND when there is no memory, CONFLICT for one of a newer version or another program's, FORBIDDEN
            when it may not be written, TIMEOUT when another process writes for too long, UPSTREAM_ERROR when the
            disk is full; the memory is unchanged then.
    """
    _require_memory(database)
    migrate_database(database)
    found = check_memory(database, progress)
    if not found:
        return RepairResult(found)
    done = _repair_findings(RepairResult(found), database, progress)
    done = _index_and_check(done, database, root, progress)
    if done.damaged_path is None and _has_damage(done.remaining):  # the file is worse than it looks
        done = _salvage(done, database, progress, is_certain=True)
        done = _index_and_check(done, database, root, progress)
    return done


def repair_store(store: Store, root: Path, progress: Progress) -> RepairResult:
    """Repair an open memory of a database server in place; its operator repairs the server's own files.

    Args:
        store: the memory.
        root: the project's folder, which is indexed again.
        progress: called with `(done, total or None, message)`.

    Raises:
        Fault: UPSTREAM_ERROR for damage below the rows; and as `storage.Store`.
    """
    found = check_store(store, progress)
    parts = {finding.part for finding in found if not finding.unfinished}
    if "file" in parts:
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"the database server has damaged files or tables: {found[0].message}",
            help="restore the database with `pg_restore`, as docs/guide/scale.md shows",
            details={"database": store.server},
        )
    if not found:
        return RepairResult(found)
    lost: list[str] = []
    if parts:
        progress(0, None, "repairing " + ", ".join(sorted(parts)))
        with store.begin_write() as db:
            lost = repair_parts(db, parts)
    indexed = index_tree(store, root, progress=progress)
    return RepairResult(found, check_store(store, progress), lost=tuple(lost), indexed=indexed)


def _require_memory(database: Path) -> None:
    if not settle_files(database, moves=True):
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory at "{database}" to repair',
            help="run `aur mem index` to create one, or `aur mem restore` to restore a backup",
            details={"path": str(database)},
        )


def _has_damage(findings: Sequence[Finding]) -> bool:
    return any(not finding.unfinished for finding in findings)


def _repair_findings(done: RepairResult, database: Path, progress: Progress) -> RepairResult:
    """Repair what was found, in place if the file is intact."""
    parts = {finding.part for finding in done.found if not finding.unfinished}
    if not parts:
        return done
    if "file" in parts:
        return _salvage(done, database, progress)
    progress(0, None, "repairing " + ", ".join(sorted(parts)))
    try:
        before, lost = _repair_in_place(database, parts)
    except Fault as fault:
        if fault.code not in DAMAGE_CODES:
            raise
        return _salvage(done, database, progress, is_certain=True)
    return replace(done, previous_backup=before, lost=tuple(lost))


def _salvage(done: RepairResult, database: Path, progress: Progress, *, is_certain: bool = False) -> RepairResult:
    progress(0, None, "salvaging readable rows")
    rescued = salvage_database(database, is_certain=is_certain)
    lost = (*done.lost, *rescued.lost)
    return replace(done, damaged_path=rescued.damaged_path, saved=rescued.saved, lost=lost)


def _index_and_check(done: RepairResult, database: Path, root: Path, progress: Progress) -> RepairResult:
    """Index the project and check the memory; an error of a file that was not salvaged is a finding."""
    try:
        with Memory.open(database) as memory:
            indexed = memory.index(root, progress=progress)
    except Fault as fault:
        if fault.code not in DAMAGE_CODES or done.damaged_path is not None:
            raise
        return replace(done, remaining=(Finding("file", fault.message),))
    return replace(done, indexed=indexed, remaining=check_memory(database, progress))


def _repair_in_place(database: Path, parts: set[MemoryPart]) -> tuple[Backup | None, list[str]]:
    """Repair parts of an intact file; return the backup made before, and the names of what is lost."""
    with closing(open_store(database)) as store:
        before = store.create_backup("before-repair")
        with store.begin_write() as db:
            return before, repair_parts(db, parts)
