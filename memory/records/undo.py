"""Taking back: what forgetting, consolidating and importing did is noted with what was there before, newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.model.json_columns import dumped, loaded, now

from . import records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.sqlite.store import Store
    from aurora.memory.sqlite.tables.all import Tables
    from aurora.memory.sqlite.tables.records import Noted

    from .records import Kept

KEPT = 20
"""Deeds that can be taken back; of older ones, the backups are left."""


@dataclass(frozen=True, slots=True)
class Deed:
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
    before: Sequence[Kept] = ()
    added: Sequence[str] = ()
    after: Mapping[str, Sequence[float]] | None = None
    runs: Mapping[str, int] | None = None
    used: Mapping[str, Sequence[float]] | None = None
    unused: Mapping[str, Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the action, its words and time; how many records came back and went, and the runs left."""

    action: str
    summary: str
    at: str
    back: int
    gone: int
    runs_left: tuple[str, ...]
    """Runs of an import that have gone on since."""


def note(db: Tables, deed: Deed) -> None:
    """Note a deed inside the transaction that does it."""
    document = {
        "before": [{**records.as_json(one), "accesses": list(one.accesses)} for one in deed.before],
        "added": list(deed.added),
        "after": {id_: list(times) for id_, times in (deed.after or {}).items()},
        "runs": dict(deed.runs or {}),
        "used": {id_: list(times) for id_, times in (deed.used or {}).items()},
        "unused": {id_: list(times) for id_, times in (deed.unused or {}).items()},
    }
    db.records.note(now(), deed.action, deed.summary, dumped(document))
    db.records.trim(KEPT)


def undo(store: Store) -> Undone:
    """Take the last deed back; the one before it is then the last.

    What was used or added since stays so.

    Raises:
        Fault: NOT_FOUND when there is nothing to take back; CONFLICT when another process does the same.
    """
    n, at, action, summary, text = _last(store)
    document = loaded(text)
    before = [records.from_json(one, one["accesses"]) for one in document["before"]]
    vectors = records.vectors_of(before)
    with store.writing() as db:
        if not db.records.take_back(n):
            raise Fault(
                Code.CONFLICT,
                "another process changed the memory at the same moment, and nothing was taken back",
                help="try again",
            )
        gone = _take_out(db, document)
        _bring_back(db, before, vectors, document)
        left = _take_runs_out(db, document["runs"])
    return Undone(action, summary, at, len(before), gone, left)


def _last(store: Store) -> Noted:
    with store.reading() as db:
        last = db.records.last()
    if last is None:
        raise Fault(
            Code.NOT_FOUND,
            "there is nothing to take back",
            help="forgetting, consolidating and importing can be; `aur mem backups` lists what older states are kept",
        )
    return last


def _take_out(db: Tables, document: Mapping[str, Any]) -> int:
    """Take out what the deed added, and the accesses that it added to what was there."""
    there = [one.chunk.id for one in records.kept(db, document["added"])]
    records.drop(db, there)
    db.uses.take_out((id_, at) for id_, times in document["used"].items() for at in times)
    records.use(db, document["unused"])
    return len(there)


def _bring_back(
    db: Tables, before: Sequence[Kept], vectors: Sequence[bytes | None], document: Mapping[str, Any]
) -> None:
    """Make the records what they were; accesses that came after the deed are added to those of before."""
    used = db.uses.of(one.chunk.id for one in before)
    since = {id_: set(times) - set(document["after"].get(id_, ())) for id_, times in used.items()}
    records.drop(db, [one.chunk.id for one in before])
    whole = [replace(one, accesses=tuple(sorted({*one.accesses, *since.get(one.chunk.id, ())}))) for one in before]
    records.put(db, whole, vectors)


def _take_runs_out(db: Tables, runs: Mapping[str, int]) -> tuple[str, ...]:
    """Take imported runs out, but for those that have gone on; these are told."""
    steps = db.runs.lengths(runs)
    same = [run for run, count in steps.items() if count == runs[run]]
    db.runs.remove(same)
    return tuple(sorted(set(steps) - set(same)))
