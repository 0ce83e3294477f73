"""Taking back: what forgetting, consolidating and importing did is noted with what was there before, newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.model import decode_json, encode_json, get_timestamp

from . import records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.sqlite import Store
    from aurora.memory.sqlite.tables import Tables, UndoEntry

    from .records import StoredRecord

MAX_UNDO_ENTRIES = 20
"""Deeds that can be taken back; of older ones, the backups are left."""


@dataclass(frozen=True, slots=True)
class UndoableChange:
    """What is about to be done.

    Attributes:
        action: `forget`, `consolidate` or `import`.
        summary: what is done, in words.
        before: the records that are changed or taken out, as they are.
        added: the ids of records that are added.
        after: how the records are used when it is done, of those that stay.
        runs: the runs that are added, each with the number of its steps.
        used: accesses that are added to what is there, by id.
        unused: accesses that no longer have room because of those.
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
    """What was taken back: the action, its words and time; how many records came back and went, and the runs left."""

    action: str
    summary: str
    at: str
    restored_count: int
    removed_count: int
    runs_left: tuple[str, ...]
    """Runs of an import that have gone on since."""


def record_change(db: Tables, deed: UndoableChange) -> None:
    """Note a deed inside the transaction that does it."""
    document = {
        "before": [{**records.to_json(one), "accesses": list(one.accesses)} for one in deed.before],
        "added": list(deed.added),
        "after": {id_: list(times) for id_, times in (deed.after or {}).items()},
        "runs": dict(deed.runs or {}),
        "used": {id_: list(times) for id_, times in (deed.used or {}).items()},
        "unused": {id_: list(times) for id_, times in (deed.unused or {}).items()},
    }
    db.records.add_undo_entry(get_timestamp(), deed.action, deed.summary, encode_json(document))
    db.records.trim_undo_entries(MAX_UNDO_ENTRIES)


def undo_last(store: Store) -> UndoResult:
    """Take the last deed back; the one before it is then the last.

    What was used or added since stays so.

    Raises:
        Fault: NOT_FOUND when there is nothing to take back; CONFLICT when another process does the same.
    """
    n, at, action, summary, text = _read_last_entry(store)
    document = decode_json(text)
    before = [records.from_json(one, one["accesses"]) for one in document["before"]]
    vectors = records.embed_records(before)
    with store.begin_write() as db:
        if not db.records.pop_undo_entry(n):
            raise Fault(
                Code.CONFLICT,
                "another process changed the memory at the same moment, and nothing was taken back",
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
            "there is nothing to take back",
            help="forgetting, consolidating and importing can be; `aur mem backups` lists what older states are kept",
        )
    return last


def _remove_added(db: Tables, document: Mapping[str, Any]) -> int:
    """Take out what the deed added, and the accesses that it added to what was there."""
    there = [one.chunk.id for one in records.read_records(db, document["added"])]
    records.remove_records(db, there)
    db.usage.remove_uses((id_, at) for id_, times in document["used"].items() for at in times)
    records.add_accesses(db, document["unused"])
    return len(there)


def _restore_records(
    db: Tables, before: Sequence[StoredRecord], vectors: Sequence[bytes | None], document: Mapping[str, Any]
) -> None:
    """Make the records what they were; accesses that came after the deed are added to those of before."""
    used = db.usage.get_by_id(one.chunk.id for one in before)
    since = {id_: set(times) - set(document["after"].get(id_, ())) for id_, times in used.items()}
    records.remove_records(db, [one.chunk.id for one in before])
    whole = [replace(one, accesses=tuple(sorted({*one.accesses, *since.get(one.chunk.id, ())}))) for one in before]
    records.insert_records(db, whole, vectors)


def _remove_runs(db: Tables, runs: Mapping[str, int]) -> tuple[str, ...]:
    """Take imported runs out, but for those that have gone on; these are told."""
    steps = db.runs.count_steps(runs)
    same = [run for run, count in steps.items() if count == runs[run]]
    db.runs.remove(same)
    return tuple(sorted(set(steps) - set(same)))
