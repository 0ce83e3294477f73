"""Migration of records, uses, the undo log and runs to another database, with a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from aurora.faults import check_cancelled
from aurora.memory.indexing import index_tree
from aurora.memory.records import insert_records, read_records
from aurora.memory.usage import MAX_USES

from .migration_proof import KINDS, PartProof, digest_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from aurora.memory.model import IndexReport, RunHead
    from aurora.memory.storage import Store, Tables

    Progress = Callable[[float, float | None, str], None]

_Row = TypeVar("_Row")
_BATCH = 200
"""Records or runs of one transaction; a kill loses one of them, which the next migration writes."""


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """Result of a migration.

    Attributes:
        parts: each part with its rows in both databases.
        indexed: the report of the indexing of the project; None when it was left out.
    """

    parts: Sequence[PartProof]
    indexed: IndexReport | None

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of rows that the target has with another content, or lacks."""
        return tuple(name for part in self.parts for name in part.differing)


def migrate_memory(source: Store, target: Store, root: Path | None, progress: Progress) -> MigrationResult:
    """Copy the memory in `source` to `target`, index the project there, and compare both.

    A row that the target has already stays as it is there, so that a migration can be repeated after a kill, and after
    people began to work on the target. The source is only read.

    Args:
        source: the memory to copy, open read-only.
        target: the memory that gets it.
        root: the project's folder, which the target indexes; None to leave the index out.
        progress: called with `(done, total or None, message)`.

    Raises:
        Fault: as `storage.Store`, and as `index_tree`.
    """
    with source.begin_read() as old:
        _copy_records(old, target, progress)
        _copy_runs(old, target, progress)
        indexed = index_tree(target, root, progress=progress) if root is not None else None
        _copy_uses(old, target)
        progress(0, None, "comparing both databases")
        with target.begin_read() as new:
            given, found = digest_parts(old), digest_parts(new)
    return MigrationResult([PartProof.compare(kind, given[kind], found[kind]) for kind in KINDS], indexed)


def _copy_records(old: Tables, target: Store, progress: Progress) -> None:
    """Copy the records that the target lacks, in their order, and the undo log of a target without one."""
    order = [chunk.id for _, chunk in old.chunks.iter_records()]
    vectors = old.vectors.get_record_vectors()
    for done, ids in _count_batches(order):
        progress(done, len(order), "copying facts and patterns")
        with target.begin_write() as new:
            missing = set(new.chunks.find_missing_ids(ids))
            records = {record.chunk.id: record for record in read_records(old, missing)}
            kept = [id_ for id_ in ids if id_ in records]
            insert_records(new, [records[id_] for id_ in kept], [vectors.get(id_) for id_ in kept])
    with target.begin_write() as new:
        if new.records.get_last_undo_entry() is None:
            for _, *entry in old.records.list_undo_entries():
                new.records.add_undo_entry(*entry)


def _copy_runs(old: Tables, target: Store, progress: Progress) -> None:
    """Copy the runs that the target lacks, oldest first, each whole."""
    heads = sorted(old.runs.iter_all(), key=_get_creation)
    for done, some in _count_batches(heads):
        progress(done, len(heads), "copying runs")
        with target.begin_write() as new:
            for head in some:
                if new.runs.insert(head):
                    new.runs.add_steps(head.run, old.runs.list_steps(head.run))


def _get_creation(head: RunHead) -> tuple[str, str]:
    return head.created_at, head.run


def _copy_uses(old: Tables, target: Store) -> None:
    """Copy the accesses of all chunks."""
    uses = dict(old.usage.iter_all())
    with target.begin_write() as new:
        new.usage.add((id_, at) for id_, moments in uses.items() for at in moments)
        new.usage.trim(uses, MAX_USES)


def _count_batches(rows: Sequence[_Row]) -> Iterator[tuple[int, Sequence[_Row]]]:
    """Yield the rows in batches, with the number of rows before each."""
    for first in range(0, len(rows), _BATCH):
        check_cancelled()
        yield first, rows[first : first + _BATCH]
