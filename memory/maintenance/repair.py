"""Repairing: what is torn is set aside and salvaged, what is only wrong is mended in place, code is read anew."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.database import open_store
from aurora.memory.memory import Memory
from aurora.memory.sqlite.backup import backup

from .check import check_memory, migrate_database
from .mend import repair_parts
from .salvage import salvage_database

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model import IndexReport

    from .findings import Finding

    Progress = Callable[[float, float | None, str], None]


@dataclass(frozen=True, slots=True)
class RepairResult:
    """What a repair did.

    Attributes:
        found: what was wrong or unfinished before.
        left: what still is.
        before: the backup of what was there, when it was mended in place.
        aside: where the damaged database is now, when it was torn.
        saved: rows that were carried over from it, by table.
        lost: what could not be kept, by name.
        indexed: what reading the project again did; None when nothing had to be done.
    """

    found: Sequence[Finding]
    remaining: Sequence[Finding] = ()
    previous_backup: backup.Backup | None = None
    damaged_path: Path | None = None
    saved: Mapping[str, int] = field(default_factory=dict)
    lost: Sequence[str] = ()
    indexed: IndexReport | None = None


def repair_memory(database: Path, root: Path, progress: Progress) -> RepairResult:
    """Make the memory whole again.

    Args:
        database: the file.
        root: the project's folder, from which code and documents are read anew.
        progress: told `(done, total or None, message)`, again and again.

    Raises:
        Fault: NOT_FOUND when there is no memory, CONFLICT for one of a newer version or another program's, FORBIDDEN
            when it may not be written, TIMEOUT when another process writes for too long, UPSTREAM_ERROR when the
            disk is full; what is there stays as it is then.
    """
    if not database.exists():
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory at "{database}" to repair',
            help="`aur mem index` makes one, `aur mem restore` brings a backup back",
            details={"path": str(database)},
        )
    migrate_database(database)
    found = check_memory(database, progress)
    if not found:
        return RepairResult(found)
    parts = {one.part for one in found if not one.unfinished}
    before, aside, saved, lost = None, None, {}, []
    if "file" in parts:
        progress(0, None, "salvaging what can be read")
        rescued = salvage_database(database)
        aside, saved, lost = rescued.damaged_path, dict(rescued.saved), list(rescued.lost)
    elif parts:
        progress(0, None, "mending " + ", ".join(sorted(parts)))
        before = backup.create_backup(database, reason="before-repair")
        with closing(open_store(database)) as store, store.begin_write() as db:
            lost = repair_parts(db, parts)
    with Memory.open(database) as memory:
        indexed = memory.index(root, progress=progress)
    return RepairResult(found, check_memory(database, progress), before, aside, saved, tuple(lost), indexed)
