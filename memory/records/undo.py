"""Undo log of forget, consolidate and import, newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.memory.model.json_columns import decode_json, encode_json, get_timestamp

from . import records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.model.runs import UndoEntry
    from aurora.memory.storage.store import Store, Tables

    from .records import StoredRecord

MAX_UNDO_ENTRIES = 20
"""Number of changes that can be undone; older states are in the backups."""


@dataclass(frozen=True, slots=True)
class UndoableChange:
    """Change that is recorded before it is made.

    Attributes:
        action: `forget`, `consolidate` or `import`.
        summary: a summary in words.
        before: the changed or removed records as they were.
        added: the ids of the added records.
        after: the accesses of the remaining records after the change.
        runs: the added runs with their step counts.
        used: the accesses added to existing records, by id.
        unused: the older accesses that these displaced.
    """

    action: str
    summary: str
    before: Sequence[StoredRecord] = ()
    added: Sequence[str] = ()
    after: Mapping[str, Sequence[float]] | None = None
    runs: Mapping[str, int] | None = None
    used: Mapping[str, Sequence[float]] | None = None
    unused: Mapping[str, Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class UndoResult:
    """Result of an undo.

    It names the action, its summary and time, the counts of restored and removed records, and the remaining runs.
    """

    action: str
    summary: str
    at: str
    restored_count: int
    removed_count: int
    runs_left: tuple[str, ...]
    """Runs of an import that were continued since."""


def record_change(db: Tables, change: UndoableChange) -> None:
    """Record a change in the transaction that makes it."""
    document = {
        "before": [{**records.to_json(record), "accesses": list(record.accesses)} for record in change.before],
        "added": list(change.added),
        "after": {id_: list(times) for id_, times in (change.after or {}).items()},
        "runs": dict(change.runs or {}),
        "used": {id_: list(times) for id_, times in (change.used or {}).items()},
        "unused": {id_: list(times) for id_, times in (change.unused or {}).items()},
    }
    db.records.add_undo_entry(get_timestamp(), change.action, change.summary, encode_json(document))
    db.records.trim_undo_entries(MAX_UNDO_ENTRIES)


def undo_last(store: Store) -> UndoResult:
    """Undo the last change; the one before it becomes the last.

    Later accesses and records stay.

    Raises:
        Fault: NOT_FOUND if there is nothing to undo; CONFLICT if another process undoes the same change.
    """
    n, at, action, summary, text = _read_last_entry(store)
    document = decode_json(text)
    before = [records.from_json(record, record["accesses"]) for record in document["before"]]
    # Before the write transaction, since embedding takes long and would keep the lock from others.
    vectors = records.embed_records(before)
    with store.begin_write() as db:
        if not db.records.pop_undo_entry(n):
            raise Fault(
                Code.CONFLICT,
                "another process changed the memory at the same time; nothing was undone",
                help="try again",
            )
        gone = _remove_added(db, document)
        _restore_records(db, before, vectors, document)
        left = _remove_runs(db, document["runs"])
    return UndoResult(action, summary, at, len(before), gone, left)


def _read_last_entry(store: Store) -> UndoEntry:
    with store.begin_read() as db:
        last = db.records.get_last_undo_entry()
    if last is None:
        raise Fault(
            Code.NOT_FOUND,
            "there is nothing to undo",
            help="only forget, consolidate and import can be undone; `aur mem backups` lists older states",
        )
    return last


def _remove_added(db: Tables, document: Mapping[str, Any]) -> int:
    """Remove the records and accesses that the change added."""
    ids = [record.chunk.id for record in records.read_records(db, document["added"])]
    records.remove_records(db, ids)
    db.usage.remove_uses((id_, at) for id_, times in document["used"].items() for at in times)
    records.add_accesses(db, document["unused"])
    return len(ids)


def _restore_records(
    db: Tables, before: Sequence[StoredRecord], vectors: Sequence[bytes | None], document: Mapping[str, Any]
) -> None:
    """Restore the records; keep the accesses added since the change."""
    used = db.usage.get_by_id(record.chunk.id for record in before)
    # A use since then is no part of the change that is undone.
    since = {id_: set(times) - set(document["after"].get(id_, ())) for id_, times in used.items()}
    records.remove_records(db, [record.chunk.id for record in before])
    restored = [
        replace(record, accesses=tuple(sorted({*record.accesses, *since.get(record.chunk.id, ())})))
        for record in before
    ]
    records.insert_records(db, restored, vectors)


def _remove_runs(db: Tables, runs: Mapping[str, int]) -> tuple[str, ...]:
    """Remove imported runs; return those that were continued and stay."""
    steps = db.runs.count_steps(runs)
    # A run that was continued since has steps that the import did not bring.
    same = [run for run, count in steps.items() if count == runs[run]]
    db.runs.remove(same)
    return tuple(sorted(set(steps) - set(same)))
