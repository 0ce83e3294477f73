"""Adoption of facts, patterns and runs from a database that another account made."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault, open_temporary_folder
from aurora.memory import records
from aurora.memory.database import copy_readable_rows, open_store
from aurora.memory.indexing.workers import Worker
from aurora.memory.model import get_timestamp

from .repair import repair_journal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.memory.records import ImportResult
    from aurora.memory.storage import Store

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
