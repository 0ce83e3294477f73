"""Import: validate every line, then insert all records in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.memory.model.json_columns import decode_json, encode_json
from aurora.memory.model.runs import RunHead, RunStep, drop_signature
from aurora.memory.usage import MAX_USES
from aurora.system.programs import describe_upgrade

from . import records, undo
from .export import VERSION
from .import_lines import parse_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.memory.storage.store import Store, Tables

    from .import_lines import ImportData
    from .records import StoredRecord

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
        new = _select_new_records(db, given)
        changes = bool(new or _compare_runs(db, given)[0] or _select_new_accesses(db, given))
    # Before the write transaction, since embedding takes long and would keep the lock from others.
    vectors = dict(zip((record.chunk.id for record in new), records.embed_records(new), strict=True))
    # The same import again changes nothing, and needs no copy of the memory.
    backup = store.create_backup("before-import") if changes else None
    with store.begin_write() as db:
        return _insert_all(db, given, vectors, backup.name if backup else None)


def _reject_invalid(given: ImportData, name: str) -> None:
    if given.newer_version is not None:
        raise Fault(
            Code.CONFLICT,
            f"{name} has version {given.newer_version}, and this Aurora supports versions up to {VERSION}",
            help=f"install a newer Aurora: {describe_upgrade()}",
            details={"found": given.newer_version, "known": VERSION},
        )
    if given.problems:
        shown = given.problems[:_MAX_REPORTED]
        more = len(given.problems) - len(shown)
        problems = "; ".join(f"line {problem.line}: {problem.message}" for problem in shown[:_MAX_SHOWN])
        rest = f"; and {len(given.problems) - _MAX_SHOWN} more" if len(given.problems) > _MAX_SHOWN else ""
        raise Fault(
            Code.INVALID_INPUT,
            f"{name} is invalid, nothing was imported: {problems}{rest}",
            help="fix these lines, or export it again with `aur mem export`",
            details={"problems": [problem._asdict() for problem in shown], "more": more},
        )


def _select_new_records(db: Tables, given: ImportData) -> list[StoredRecord]:
    existing = {record.chunk.id for record in records.read_records(db, given.chunks)}
    return [
        records.from_json(_drop_confirmation(record), given.accesses.get(id_, ()))
        for id_, record in given.chunks.items()
        if id_ not in existing
    ]


def _drop_confirmation(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop the mark that a person confirmed the record: a file cannot prove it."""
    return {**record, "metadata": {key: value for key, value in record["metadata"].items() if key != "confirmed"}}


def _select_new_accesses(db: Tables, given: ImportData) -> dict[str, tuple[float, ...]]:
    """Select the unknown accesses of chunks that this import does not insert."""
    fresh = {record.chunk.id for record in _select_new_records(db, given)}
    known = db.usage.get_by_id(given.accesses)
    selected: dict[str, tuple[float, ...]] = {}
    for id_, times in given.accesses.items():
        if id_ in fresh:
            continue
        stored = known.get(id_, ())
        unknown = tuple(at for at in times if at not in stored and not _is_too_old(at, stored))
        if unknown:
            selected[id_] = unknown
    return selected


def _is_too_old(at: float, known: tuple[float, ...]) -> bool:
    """Check whether an access is older than all kept ones of a full history."""
    # The limit would drop it again at once, so that each repetition of an import would report it as new.
    return len(known) >= MAX_USES and at < known[0]


def _compare_runs(db: Tables, given: ImportData) -> tuple[list[str], list[str]]:
    """Return the runs that are new, and the existing runs that differ."""
    fresh, differing = [], []
    for run, head in given.runs.items():
        found = db.runs.get_head(run)
        if found is None:
            fresh.append(run)
            continue
        stored, _ = found
        known = [(step.seq, step.phase, step.document) for step in db.runs.list_steps(run)]
        imported = [
            (seq, step["phase"], encode_json(step["document"])) for seq, step in sorted(given.steps[run].items())
        ]
        same = (stored.workflow, stored.created_at) == (head["workflow"], head["created_at"])
        if known != imported or not same or not _is_same_document(stored.document, head["document"]):
            differing.append(run)
    return fresh, differing


def _is_same_document(stored: str, given: Mapping[str, Any]) -> bool:
    return encode_json(drop_signature(decode_json(stored))) == encode_json(drop_signature(given))


def _insert_all(
    db: Tables, given: ImportData, vectors: Mapping[str, bytes | None], backup_name: str | None
) -> ImportResult:
    # Another process may have removed a record since the embeddings were computed.
    new = [record for record in _select_new_records(db, given) if record.chunk.id in vectors]
    runs, differing = _compare_runs(db, given)
    accesses = _select_new_accesses(db, given)
    # For the undo log: what the limit of stored accesses displaces could not be told afterwards.
    before = db.usage.get_by_id(accesses)
    records.insert_records(db, new, [vectors[record.chunk.id] for record in new])
    records.add_accesses(db, accesses)
    for run in runs:
        _insert_run(db, given.runs[run], [step for _, step in sorted(given.steps[run].items())])
    result = ImportResult(
        records=len(new),
        records_known=len(given.chunks) - len(new),
        runs=len(runs),
        runs_known=len(given.runs) - len(runs) - len(differing),
        differing=tuple(differing),
        accesses=sum(map(len, accesses.values())) + sum(len(record.accesses) for record in new),
        passed_over=given.skipped_chunks,
        backup=backup_name,
    )
    if new or runs or accesses:
        added, displaced = _compare_accesses(before, db.usage.get_by_id(accesses))
        undo.record_change(
            db,
            undo.UndoableChange(
                "import",
                f"imported {result.records} records, {result.runs} runs and {result.accesses} accesses",
                added=[record.chunk.id for record in new],
                runs={run: len(given.steps[run]) for run in runs},
                used=added,
                unused=displaced,
            ),
        )
    return result


def _compare_accesses(
    before: Mapping[str, tuple[float, ...]], after: Mapping[str, tuple[float, ...]]
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the added and the displaced accesses by id."""
    added = {id_: sorted(set(times) - set(before.get(id_, ()))) for id_, times in after.items()}
    displaced: dict[str, list[float]] = {}
    for id_, times in before.items():
        missing = sorted(set(times) - set(after.get(id_, ())))
        if missing:
            displaced[id_] = missing
    return added, displaced


def _insert_run(db: Tables, head: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> None:
    """Insert a run without a signature: a file cannot prove where it began, nor who answered."""
    times = (head["created_at"], head["updated_at"])
    document = encode_json(drop_signature(head["document"]))
    db.runs.insert(RunHead(head["run"], head["workflow"], *times, document))
    db.runs.add_steps(
        head["run"], (RunStep(step["seq"], step["phase"], step["at"], encode_json(step["document"])) for step in steps)
    )
