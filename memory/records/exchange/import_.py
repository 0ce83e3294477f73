"""Import: validate every line, then insert all records in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.analysis import MAX_USES
from aurora.memory.model import RunHead, RunStep, encode_json
from aurora.memory.records import records, undo

from .export import VERSION
from .validate import parse_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.memory.records.records import StoredRecord
    from aurora.memory.storage import Store, Tables

    from .validate import ImportData

_MAX_REPORTED = 20
_MAX_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Result of an import.

    `known` counts existing records. `differing` lists runs whose content differs here; they stay as they are.

    `passed_over` counts chunks of files, which indexing creates; `backup` names the backup made before a change.
    """

    records: int
    records_known: int
    runs: int
    runs_known: int
    differing: tuple[str, ...]
    accesses: int
    passed_over: int
    backup: str | None


def import_records(store: Store, lines: Iterable[bytes], name: str) -> ImportResult:
    """Import the records and runs of an export.

    Args:
        store: the store.
        lines: the lines of the export.
        name: the name of the export in messages.

    Raises:
        Fault: INVALID_INPUT with each invalid line, CONFLICT for a newer version, and the faults of the store; nothing
            is imported then.
    """
    store.require_writable()
    given = parse_lines(lines)
    _reject_invalid(given, name)
    with store.begin_read() as db:
        fresh = _select_new_records(db, given)
        changes = bool(fresh or _compare_runs(db, given)[0] or _select_new_accesses(db, given))
    vectors = dict(zip((one.chunk.id for one in fresh), records.embed_records(fresh), strict=True))
    made = store.create_backup("before-import") if changes else None
    with store.begin_write() as db:
        return _insert_all(db, given, vectors, made.name if made else None)


def _reject_invalid(given: ImportData, name: str) -> None:
    if given.newer_version is not None:
        raise Fault(
            Code.CONFLICT,
            f"{name} has version {given.newer_version}, and this Aurora supports versions up to {VERSION}",
            help="install a newer Aurora (`pip install --upgrade aurora-workflows`)",
            details={"found": given.newer_version, "known": VERSION},
        )
    if given.problems:
        told = given.problems[:_MAX_REPORTED]
        more = len(given.problems) - len(told)
        said = "; ".join(f"line {one.line}: {one.message}" for one in told[:_MAX_SHOWN])
        rest = f"; and {len(given.problems) - _MAX_SHOWN} more" if len(given.problems) > _MAX_SHOWN else ""
        raise Fault(
            Code.INVALID_INPUT,
            f"{name} is invalid, nothing was imported: {said}{rest}",
            help="fix these lines, or export it again with `aur mem export`",
            details={"problems": [one._asdict() for one in told], "more": more},
        )


def _select_new_records(db: Tables, given: ImportData) -> list[StoredRecord]:
    there = {one.chunk.id for one in records.read_records(db, given.chunks)}
    return [
        records.from_json(one, given.accesses.get(id_, ())) for id_, one in given.chunks.items() if id_ not in there
    ]


def _select_new_accesses(db: Tables, given: ImportData) -> dict[str, tuple[float, ...]]:
    """Select the unknown accesses of chunks that this import does not insert."""
    fresh = {one.chunk.id for one in _select_new_records(db, given)}
    known = db.usage.get_by_id(given.accesses)
    found = {
        id_: tuple(at for at in times if at not in known.get(id_, ()) and not _is_too_old(at, known.get(id_, ())))
        for id_, times in given.accesses.items()
        if id_ not in fresh
    }
    return {id_: times for id_, times in found.items() if times}


def _is_too_old(at: float, known: tuple[float, ...]) -> bool:
    """Check whether an access is older than all kept ones of a full history."""
    return len(known) >= MAX_USES and at < known[0]


def _compare_runs(db: Tables, given: ImportData) -> tuple[list[str], list[str]]:
    """Return the runs that are new, and the existing runs that differ."""
    fresh, differing = [], []
    for run, head in given.runs.items():
        found = db.runs.get_head(run)
        if found is None:
            fresh.append(run)
            continue
        there, _ = found
        known = [(one.seq, one.phase, one.document) for one in db.runs.list_steps(run)]
        said = [(seq, one["phase"], encode_json(one["document"])) for seq, one in sorted(given.steps[run].items())]
        same = (there.workflow, there.created_at) == (head["workflow"], head["created_at"])
        if known != said or not same or there.document != encode_json(head["document"]):
            differing.append(run)
    return fresh, differing


def _insert_all(
    db: Tables, given: ImportData, vectors: Mapping[str, bytes | None], backup_name: str | None
) -> ImportResult:
    fresh = [
        one for one in _select_new_records(db, given) if one.chunk.id in vectors
    ]  # another process may have removed a record meanwhile
    runs, differing = _compare_runs(db, given)
    used = _select_new_accesses(db, given)
    before = db.usage.get_by_id(used)
    records.insert_records(db, fresh, [vectors[one.chunk.id] for one in fresh])
    records.add_accesses(db, used)
    after = db.usage.get_by_id(used)
    for run in runs:
        _insert_run(db, given.runs[run], [step for _, step in sorted(given.steps[run].items())])
    done = ImportResult(
        records=len(fresh),
        records_known=len(given.chunks) - len(fresh),
        runs=len(runs),
        runs_known=len(given.runs) - len(runs) - len(differing),
        differing=tuple(differing),
        accesses=sum(map(len, used.values())) + sum(len(one.accesses) for one in fresh),
        passed_over=given.skipped_chunks,
        backup=backup_name,
    )
    if fresh or runs or used:
        summary = f"imported {done.records} records, {done.runs} runs and {done.accesses} accesses"
        added = {id_: sorted(set(after[id_]) - set(before.get(id_, ()))) for id_ in used if id_ in after}
        lost = {id_: sorted(set(times) - set(after.get(id_, ()))) for id_, times in before.items()}
        undo.record_change(
            db,
            undo.UndoableChange(
                "import",
                summary,
                added=[one.chunk.id for one in fresh],
                runs={run: len(given.steps[run]) for run in runs},
                used=added,
                unused={id_: times for id_, times in lost.items() if times},
            ),
        )
    return done


def _insert_run(db: Tables, head: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> None:
    times = (head["created_at"], head["updated_at"])
    db.runs.insert(RunHead(head["run"], head["workflow"], *times, encode_json(head["document"])))
    db.runs.add_steps(
        head["run"], (RunStep(one["seq"], one["phase"], one["at"], encode_json(one["document"])) for one in steps)
    )
