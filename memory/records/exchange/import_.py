"""Import: every line is checked first, then all of it enters in one transaction, and what is known is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.memory.analysis.usage import KEPT
from aurora.memory.model.json_columns import dumped
from aurora.memory.records import records, undo
from aurora.memory.sqlite.backup import backup
from aurora.memory.sqlite.tables.runs import Head, Step

from .export import VERSION
from .validate import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.memory.records.records import Kept
    from aurora.memory.sqlite.store import Store
    from aurora.memory.sqlite.tables.all import Tables

    from .validate import Read

_MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: `known` was there already, `differing` are runs that say something else here and stayed.

    `passed_over` counts chunks of files, which an indexing makes; `backup` names what was kept before, if anything
    was changed.
    """

    records: int
    records_known: int
    runs: int
    runs_known: int
    differing: tuple[str, ...]
    accesses: int
    passed_over: int
    backup: str | None


def bring_in(store: Store, lines: Iterable[bytes], name: str) -> Imported:
    """Take over what an export holds.

    Args:
        store: where to.
        lines: of the export, as bytes.
        name: what to call it when something is wrong.

    Raises:
        Fault: INVALID_INPUT with each wrong line, CONFLICT for a newer version, and those of the memory; nothing is
            imported then.
    """
    store.demand_writable()
    given = read(lines)
    _refuse(given, name)
    with store.reading() as db:
        fresh = _new(db, given)
        changes = bool(fresh or _new_runs(db, given)[0] or _new_accesses(db, given))
    vectors = dict(zip((one.chunk.id for one in fresh), records.vectors_of(fresh), strict=True))
    made = backup.make(store.path, reason="before-import") if changes else None
    with store.writing() as db:
        return _enter(db, given, vectors, made.name if made else None)


def _refuse(given: Read, name: str) -> None:
    if given.newer is not None:
        raise Fault(
            Code.CONFLICT,
            f"{name} has version {given.newer}, and this Aurora reads versions up to {VERSION}",
            help="install a newer Aurora (`pip install --upgrade aurora-workflows`)",
            details={"found": given.newer, "known": VERSION},
        )
    if given.wrong:
        told = given.wrong[:_MOST_TOLD]
        more = len(given.wrong) - len(told)
        said = "; ".join(f"line {one.line}: {one.message}" for one in told[:3])
        rest = f"; and {len(given.wrong) - 3} more" if len(given.wrong) > 3 else ""  # noqa: PLR2004 - as shown above
        raise Fault(
            Code.INVALID_INPUT,
            f"{name} cannot be imported, and nothing was: {said}{rest}",
            help="mend these lines, or export it again with `aur mem export`",
            details={"problems": [one._asdict() for one in told], "more": more},
        )


def _new(db: Tables, given: Read) -> list[Kept]:
    there = {one.chunk.id for one in records.kept(db, given.chunks)}
    return [
        records.from_json(one, given.accesses.get(id_, ())) for id_, one in given.chunks.items() if id_ not in there
    ]


def _new_accesses(db: Tables, given: Read) -> dict[str, tuple[float, ...]]:
    """The accesses that are not known, of chunks that do not come with this import."""
    fresh = {one.chunk.id for one in _new(db, given)}
    known = db.uses.of(given.accesses)
    found = {
        id_: tuple(at for at in times if at not in known.get(id_, ()) and not _too_old(at, known.get(id_, ())))
        for id_, times in given.accesses.items()
        if id_ not in fresh
    }
    return {id_: times for id_, times in found.items() if times}


def _too_old(at: float, known: tuple[float, ...]) -> bool:
    """Whether an access is older than all that are kept where no more are kept: it was dropped here once."""
    return len(known) >= KEPT and at < known[0]


def _new_runs(db: Tables, given: Read) -> tuple[list[str], list[str]]:
    """The runs that are not here, and those that are and say something else."""
    fresh, differing = [], []
    for run, head in given.runs.items():
        found = db.runs.head(run)
        if found is None:
            fresh.append(run)
            continue
        there, _ = found
        known = [(one.seq, one.phase, one.document) for one in db.runs.steps(run)]
        said = [(seq, one["phase"], dumped(one["document"])) for seq, one in sorted(given.steps[run].items())]
        same = (there.workflow, there.created_at) == (head["workflow"], head["created_at"])
        if known != said or not same or there.document != dumped(head["document"]):
            differing.append(run)
    return fresh, differing


def _enter(db: Tables, given: Read, vectors: Mapping[str, bytes | None], backup_name: str | None) -> Imported:
    fresh = [
        one for one in _new(db, given) if one.chunk.id in vectors
    ]  # what another process forgot meanwhile stays so
    runs, differing = _new_runs(db, given)
    used = _new_accesses(db, given)
    before = db.uses.of(used)
    records.put(db, fresh, [vectors[one.chunk.id] for one in fresh])
    records.use(db, used)
    after = db.uses.of(used)
    for run in runs:
        _enter_run(db, given.runs[run], [step for _, step in sorted(given.steps[run].items())])
    done = Imported(
        records=len(fresh),
        records_known=len(given.chunks) - len(fresh),
        runs=len(runs),
        runs_known=len(given.runs) - len(runs) - len(differing),
        differing=tuple(differing),
        accesses=sum(map(len, used.values())) + sum(len(one.accesses) for one in fresh),
        passed_over=given.passed_over,
        backup=backup_name,
    )
    if fresh or runs or used:
        summary = f"imported {done.records} records, {done.runs} runs and {done.accesses} accesses"
        added = {id_: sorted(set(after[id_]) - set(before.get(id_, ()))) for id_ in used if id_ in after}
        lost = {id_: sorted(set(times) - set(after.get(id_, ()))) for id_, times in before.items()}
        undo.note(
            db,
            undo.Deed(
                "import",
                summary,
                added=[one.chunk.id for one in fresh],
                runs={run: len(given.steps[run]) for run in runs},
                used=added,
                unused={id_: times for id_, times in lost.items() if times},
            ),
        )
    return done


def _enter_run(db: Tables, head: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> None:
    times = (head["created_at"], head["updated_at"])
    db.runs.begin(Head(head["run"], head["workflow"], *times, dumped(head["document"])))
    db.runs.add_steps(
        head["run"], (Step(one["seq"], one["phase"], one["at"], dumped(one["document"])) for one in steps)
    )
