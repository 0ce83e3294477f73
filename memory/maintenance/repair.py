"""Repair: salvage a damaged file, repair rows in place, then index."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.database import open_store
from aurora.memory.memory import Memory

from .check import check_memory, migrate_database
from .repair_parts import repair_parts
from .salvage import salvage_database

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model import Backup, IndexReport

    from .findings import Finding, MemoryPart

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
    if not database.exists():
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory at "{database}" to repair',
            help="run `aur mem index` to create one, or `aur mem restore` to restore a backup",
            details={"path": str(database)},
        )
    migrate_database(database)
    found = check_memory(database, progress)
    if not found:
        return RepairResult(found)
    parts = {finding.part for finding in found if not finding.unfinished}
    before, aside, saved, lost = None, None, {}, []
    if "file" in parts:
        progress(0, None, "salvaging readable rows")
        rescued = salvage_database(database)
        aside, saved, lost = rescued.damaged_path, dict(rescued.saved), list(rescued.lost)
    elif parts:
        progress(0, None, "repairing " + ", ".join(sorted(parts)))
        try:
            before, lost = _repair_in_place(database, parts)
        except Fault as fault:
            if fault.code not in {Code.UPSTREAM_ERROR, Code.INTERNAL_ERROR}:
                raise
            rescued = salvage_database(database, is_certain=True)
            aside, saved, lost = rescued.damaged_path, dict(rescued.saved), list(rescued.lost)
    indexed, remaining = _index_and_check(database, root, progress)
    if aside is None and any(not finding.unfinished for finding in remaining):  # the file is worse than it looks
        rescued = salvage_database(database, is_certain=True)
        aside, saved, lost = rescued.damaged_path, dict(rescued.saved), [*lost, *rescued.lost]
        indexed, remaining = _index_and_check(database, root, progress)
    return RepairResult(found, remaining, before, aside, saved, tuple(lost), indexed)


def _index_and_check(database: Path, root: Path, progress: Progress) -> tuple[IndexReport, Sequence[Finding]]:
    with Memory.open(database) as memory:
        indexed = memory.index(root, progress=progress)
    return indexed, check_memory(database, progress)


def _repair_in_place(database: Path, parts: set[MemoryPart]) -> tuple[Backup, list[str]]:
    """Repair parts of an intact file; return the backup made before, and the names of what is lost."""
    with closing(open_store(database)) as store:
        before = store.create_backup("before-repair")
        with store.begin_write() as db:
            return before, repair_parts(db, parts)
