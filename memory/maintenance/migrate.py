"""Migration of records, uses, the undo log and runs to another database, with a proof."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

from aurora.errors import check_cancelled
from aurora.memory.indexing.run import index_tree
from aurora.memory.records import insert_records, read_records, to_json
from aurora.memory.usage import MAX_USES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.reports import IndexReport
    from aurora.memory.model.runs import RunHead
    from aurora.memory.storage.store import Store, Tables

    Digests = Mapping[str, bytes]
    Progress = Callable[[float, float | None, str], None]

_Row = TypeVar("_Row")
_BATCH = 200
"""Records or runs of one transaction; a kill loses one of them, which the next migration writes."""
KINDS = ("facts and patterns", "uses", "undo log", "runs", "steps")
"""Parts of a memory that no file of the project contains."""
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class PartProof:
    """Part of a memory in both databases.

    Attributes:
        kind: one of `KINDS`.
        count: number of its rows in the source.
        present: number of these rows in the target, with the same content.
        digest: hash of the rows in the source.
        differing: names of the rows that the target lacks, or has with another content.
    """

    kind: str
    count: int
    present: int
    digest: str
    differing: Sequence[str]

    @classmethod
    def compare(cls, kind: str, given: Digests, found: Digests) -> Self:
        """Compare the rows of a part."""
        differing = [f"{kind}: {name}" for name, digest in given.items() if found.get(name) != digest]
        whole = _hash(sorted((name, digest.hex()) for name, digest in given.items()))
        return cls(kind, len(given), len(given) - len(differing), whole.hex(), differing)


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
    # One transaction, so that what is copied and what is compared are the same state.
    with source.begin_read() as old:
        _copy_records(old, target, progress)
        _copy_runs(old, target, progress)
        indexed = index_tree(target, root, progress=progress) if root is not None else None
        _copy_uses(old, target)
        progress(0, None, "comparing both databases")
        with target.begin_read() as new:
            given, found = _digest_parts(old), _digest_parts(new)
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
        # An entry of the source would undo what somebody has done in the target since.
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
                # A run that is there already may have been continued, so it stays as it is.
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


def _digest_parts(db: Tables) -> dict[str, Digests]:
    """Hash each row of each part, by its name."""
    records = {record.chunk.id: _hash(to_json(record)) for record in read_records(db)}
    # An access has nothing but its name, so there is no content to compare.
    uses = {f"{id_} at {at!r}": b"" for id_, moments in db.usage.iter_all() for at in moments}
    undo = {
        f"{at} {action} {place}": _hash(rest)
        for place, (_, at, action, *rest) in enumerate(db.records.list_undo_entries())
    }
    runs: dict[str, bytes] = {}
    steps: dict[str, bytes] = {}
    for head in list(db.runs.iter_all()):
        runs[head.run] = _hash(head)
        steps |= {f"{head.run} {step.seq}": _hash(step) for step in db.runs.list_steps(head.run)}
    return dict(zip(KINDS, (records, uses, undo, runs, steps), strict=True))


def _hash(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode("ascii"), digest_size=_DIGEST_BYTES).digest()
