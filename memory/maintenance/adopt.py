"""Adoption of facts, patterns and runs from a database that another account made."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Code, Fault
from aurora.memory import records, text_index
from aurora.memory.database import copy_readable_rows, open_store, replace_damaged, settle_files
from aurora.memory.embeddings import DIMENSIONS
from aurora.memory.indexing.run import index_tree
from aurora.memory.indexing.scope import resolve_root
from aurora.memory.indexing.state import own_run
from aurora.memory.indexing.workers.process import Worker
from aurora.memory.indexing.write import begin_run
from aurora.memory.memory import Memory
from aurora.memory.model.json_columns import get_timestamp
from aurora.system.files import open_temporary_folder

from .check import DAMAGE_CODES, Finding, check_memory, check_store, has_file_damage, iter_wrong_runs, iter_wrong_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.reports import Backup, IndexReport
    from aurora.memory.records import ImportResult
    from aurora.memory.storage.store import Store, Tables

    from .check import MemoryPart

    Progress = Callable[[float, float | None, str], None]

MAX_SECONDS = 120.0
"""Seconds in which the other database must be read; a memory of 10,000 facts takes a few."""


_ATTEMPTS = 3
"""Passes over the lines: without a run's line, its steps are invalid, too."""


class ForeignRecords(NamedTuple):
    """Lines of an export, and what was left out because it cannot be read or Aurora does not write it."""

    lines: Sequence[bytes]
    lost: Sequence[str]


def adopt_records(store: Store, file: Path, *, has_runs: bool) -> tuple[ImportResult, Sequence[str]]:
    """Take over what another account's memory contains, marked as from there.

    The file is read in a process with limits of time and memory, and what it says is checked as an import is. Runs can
    be looked at, and not continued.

    Args:
        store: the memory that gets the records.
        file: the database; it is not changed.
        has_runs: take over its runs, too.

    Returns:
        What is new, and the names of what was left out.

    Raises:
        Fault: NOT_FOUND without such a file, UPSTREAM_ERROR when it cannot be read within the limits.
    """
    store.require_writable()
    if not file.is_file():
        raise Fault(Code.NOT_FOUND, f'there is no file "{file}"', help="`aur doctor` lists the memories of others here")
    worker = Worker.start_ready()
    if worker is None:
        raise Fault(Code.UPSTREAM_ERROR, "the process that reads the other memory does not start", help="try again")
    try:
        # In another process: SQLite acts on what a file of somebody else says, and a crash or a bomb must end only
        # that.
        found = worker.call(read_foreign, file, has_runs, seconds=MAX_SECONDS)
    except (EOFError, OSError):
        raise Fault(
            Code.UPSTREAM_ERROR,
            f'"{file}" cannot be read: it took more than {MAX_SECONDS:.0f} seconds or 1 GB of memory, or is no memory',
            help="nothing was taken over, and the file is unchanged",
            details={"path": str(file)},
        ) from None
    finally:
        worker.stop()
    return records.import_records(store, found.lines, f'"{file.name}"'), found.lost


def read_foreign(file: Path, has_runs: bool) -> ForeignRecords:  # noqa: FBT001 - called by position in the worker
    """Read the records of a database; in a process that may be killed."""
    mark = {"from": file.name, "at": get_timestamp()}
    with open_temporary_folder("adopt") as folder:
        staged = folder / "rows.partial"
        lost = copy_readable_rows(file, folder, staged, repair_journal)
        with closing(open_store(staged)) as store:
            exported = records.export_records(store)
    kept = {"chunk", "run", "step"} if has_runs else {"chunk"}
    documents = [document for line in exported.lines[1:] if (document := json.loads(line))["record"] in kept]
    for document in documents:
        if document["record"] == "chunk":
            document["metadata"]["adopted"] = mark
    # Without the number of lines, since those that an import refuses are left out.
    head = json.dumps({key: value for key, value in json.loads(exported.lines[0]).items() if key != "lines"})
    lines = [head.encode(), *(json.dumps(document).encode() for document in documents)]
    withheld = [f'"{one.id}", which contains a secret' for one in exported.withheld]
    return _drop_invalid(lines, [*lost, *withheld])


def _drop_invalid(lines: list[bytes], lost: list[str]) -> ForeignRecords:
    """Leave out the lines that an import refuses."""
    for _ in range(_ATTEMPTS):
        problems = {problem.line: problem.message for problem in records.parse_lines(lines).problems}
        if not problems:
            break
        lost += [f"a record: {message}" for message in problems.values()]
        lines = [line for number, line in enumerate(lines, 1) if number not in problems]
    return ForeignRecords(lines, lost)


@dataclass(frozen=True, slots=True)
class RepairResult:
    """Result of a repair.

    Attributes:
        found: the findings before the repair.
        remaining: the findings after the repair.
        previous_backup: the backup made before a repair in place.
        damaged_path: the new place of a damaged database file.
        saved: the number of rows that were read of it, by table.
        backup: the backup that other rows came from.
        from_backup: the number of these rows, by table.
        lost: the names of what is lost.
        indexed: the report of the indexing; None if there was nothing to repair.
    """

    found: Sequence[Finding]
    remaining: Sequence[Finding] = ()
    previous_backup: Backup | None = None
    damaged_path: Path | None = None
    saved: Mapping[str, int] = field(default_factory=dict)
    backup: Backup | None = None
    from_backup: Mapping[str, int] = field(default_factory=dict)
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
    _require_memory(database)
    found = check_memory(database, progress)
    if not found:
        return RepairResult(found)
    done = _repair_findings(RepairResult(found), database, progress)
    done = _index_and_check(done, database, root, progress)
    if done.damaged_path is None and _has_damage(done.remaining):  # the file is worse than it looks
        done = _replace_database(done, database, progress, is_certain=True)
        done = _index_and_check(done, database, root, progress)
    return done


def repair_store(store: Store, root: Path, progress: Progress) -> RepairResult:
    """Repair an open memory of a database server in place; its operator repairs the server's own files.

    Args:
        store: the memory.
        root: the project's folder, which is indexed again.
        progress: called with `(done, total or None, message)`.

    Raises:
        Fault: UPSTREAM_ERROR for damage below the rows; and as `storage.Store`.
    """
    found = check_store(store, progress)
    parts = {finding.part for finding in found if not finding.unfinished}
    if "file" in parts:
        raise Fault(
            Code.UPSTREAM_ERROR,
            f"the database server has damaged files or tables: {found[0].message}",
            help="restore the database with `pg_restore`, as docs/guide/scale.md shows",
            details={"database": store.server},
        )
    if not found:
        return RepairResult(found)
    lost: list[str] = []
    if parts:
        progress(0, None, "repairing " + ", ".join(sorted(parts)))
        with store.begin_write() as db:
            lost = _repair_parts(db, parts)
    indexed = index_tree(store, root, progress=progress)
    return RepairResult(found, check_store(store, progress), lost=tuple(lost), indexed=indexed)


def _require_memory(database: Path) -> None:
    if not settle_files(database, moves=True):
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory at "{database}" to repair',
            help="run `aur mem index` to create one, or `aur mem restore` to restore a backup",
            details={"path": str(database)},
        )


def _has_damage(findings: Sequence[Finding]) -> bool:
    return any(not finding.unfinished for finding in findings)


def _repair_findings(done: RepairResult, database: Path, progress: Progress) -> RepairResult:
    """Repair what was found, in place if the file is intact."""
    parts = {finding.part for finding in done.found if not finding.unfinished}
    if not parts:
        return done
    if "file" in parts:
        return _replace_database(done, database, progress)
    progress(0, None, "repairing " + ", ".join(sorted(parts)))
    try:
        # That a page is unreadable may show only when a repair reads it.
        before, lost = _repair_in_place(database, parts)
    except Fault as fault:
        if fault.code not in DAMAGE_CODES:
            raise
        return _replace_database(done, database, progress, is_certain=True)
    return replace(done, previous_backup=before, lost=tuple(lost))


def _replace_database(
    done: RepairResult, database: Path, progress: Progress, *, is_certain: bool = False
) -> RepairResult:
    """Replace the database by a new one with its records; if `is_certain`, even if its file looks intact."""
    progress(0, None, "reading facts, patterns and runs")
    is_damaged = (lambda _: True) if is_certain else has_file_damage
    new = replace_damaged(database, is_damaged, _finish_rows)
    return replace(
        done,
        damaged_path=new.damaged_path,
        saved=new.saved,
        backup=new.backup,
        from_backup=new.from_backup,
        lost=(*done.lost, *new.lost),
    )


def _finish_rows(db: Tables) -> list[str]:
    """Cut runs before their gaps and index the records; return the losses."""
    lost = repair_journal(db)
    text_index.add_records(db)
    return lost


def _index_and_check(done: RepairResult, database: Path, root: Path, progress: Progress) -> RepairResult:
    """Index the project and check the memory; an error of a file that was not replaced is a finding."""
    try:
        with Memory.open(database) as memory:
            indexed = memory.index(root, progress=progress)
    except Fault as fault:
        if fault.code not in DAMAGE_CODES or done.damaged_path is not None:
            raise
        return replace(done, remaining=(Finding("file", fault.message),))
    return replace(done, indexed=indexed, remaining=check_memory(database, progress))


def _repair_in_place(database: Path, parts: set[MemoryPart]) -> tuple[Backup | None, list[str]]:
    """Repair parts of an intact file; return the backup made before, and the names of what is lost."""
    with closing(open_store(database)) as store:
        # A repair removes rows, so what was there can be looked at afterwards.
        before = store.create_backup("before-repair")
        with store.begin_write() as db:
            return before, _repair_parts(db, parts)


def _repair_parts(db: Tables, parts: Collection[MemoryPart]) -> list[str]:
    """Repair these parts in the open write transaction; index afterwards.

    Returns:
        The names of what is lost.
    """
    lost = repair_journal(db) if "journal" in parts else []
    if "vectors" in parts:
        db.damage.remove_wrong_vectors(DIMENSIONS)
    if "text" in parts:
        lost += [f'the metadata of "{id_}"' for id_ in db.damage.reset_garbled_metadata()]
    if not {"text", "graph"}.isdisjoint(parts):
        _clear_index(db)
    # Runs have no words in the index.
    if parts != {"journal"}:
        text_index.rebuild_index(db)
    # As an indexing that was cut short, which the next one completes.
    db.meta.update(index_state="running", index_owner="")
    db.meta.bump_generation()
    return lost


def _clear_index(db: Tables) -> None:
    """Remove what comes from files; usage stays."""
    db.files.clear()
    # Former contents too: they were parsed by the same rules that are doubted.
    db.contents.clear()
    db.damage.remove_orphan_chunks()
    db.nodes.clear()


def repair_journal(db: Tables) -> list[str]:
    """Remove unreadable rows and those that the journal refuses, and cut each run before its first gap."""
    lost = []
    for run in [*db.damage.list_unreadable_runs(), *[run for run, _ in iter_wrong_runs(db)]]:
        db.runs.remove([run])
        lost.append(f'run "{run}"')
    # Steps without their run belong to nothing that could be shown or continued.
    for run, count in db.damage.list_headless_runs():
        db.damage.truncate_run(run, 0)
        lost.append(f'{count} steps of the missing run "{run}"')
    wrong = [(run, seq) for run, seq, _ in iter_wrong_steps(db)]
    for run, seq in [*db.damage.list_unreadable_steps(), *wrong]:
        db.damage.remove_step(run, seq)
        lost.append(f'step {seq} of run "{run}"')
    for run, _, last in db.damage.list_run_gaps():
        numbers = db.damage.get_step_numbers(run)
        # A run is continued from its steps, so what follows a gap has no beginning; what precedes it is whole.
        first = next(seq for seq in range(1, last + 2) if seq not in numbers)
        db.damage.truncate_run(run, first - 1)
        after = sum(seq > first for seq in numbers)
        lost.append(f'{after} steps of run "{run}" after the missing step {first}')
    return lost


def rebuild_memory(database: Path, root: Path, progress: Progress) -> IndexReport:
    """Index the project from scratch; an interrupted rebuild can be continued.

    Args:
        database: the file, created if missing.
        root: the project's folder.
        progress: called with `(files done, files to do, message)`.

    Raises:
        Fault: NOT_FOUND, INVALID_INPUT or FORBIDDEN for a folder that cannot be indexed, and those of the store;
            nothing is removed then.
    """
    with closing(open_store(database)) as store:
        return rebuild_index(store, root, progress)


def rebuild_index(store: Store, root: Path, progress: Progress) -> IndexReport:
    """Index the project from scratch into an open memory; see `rebuild_memory`."""
    root = resolve_root(root)
    # Nobody else indexes meanwhile, and a rebuild that is killed counts as one that was cut short.
    with own_run(store) as owner:
        begin_run(store, root, owner=owner)
        with store.begin_write() as db:
            _clear_index(db)
            text_index.rebuild_index(db)
            db.meta.bump_generation()
        return index_tree(store, root, progress=progress)
