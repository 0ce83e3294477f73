"""Check of the memory: every part in one read transaction."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from aurora.errors import Code, Fault
from aurora.memory import text_index
from aurora.memory.database import read_for_check
from aurora.memory.embeddings import DIMENSIONS, get_embedder
from aurora.memory.indexing.state import RUNNING, is_run_active
from aurora.memory.model.runs import read_run_document, read_step_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from aurora.memory.storage.store import Store, Tables

    Progress = Callable[[float, float | None, str], None]
    Check = tuple["MemoryPart", Callable[[Tables], Iterator["Finding"]]]

MemoryPart = Literal["file", "text", "words", "vectors", "graph", "journal"]

REPAIR_COMMAND = "aur mem repair"
INDEX_COMMAND = "aur mem index"
_MAX_FINDINGS = 20
DAMAGE_CODES = frozenset({Code.UPSTREAM_ERROR, Code.INTERNAL_ERROR})
"""Codes of the faults that reading a damaged file raises."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding of a check.

    Attributes:
        part: the part of the memory.
        message: one line, names quoted.
        remedy: the command that fixes it.
        unfinished: not damaged: indexing was interrupted or is running, and the next one completes it.
    """

    part: MemoryPart
    message: str
    remedy: str = REPAIR_COMMAND
    unfinished: bool = False


def check_memory(
    database: Path,
    progress: Callable[[float, float | None, str], None] | None = None,
) -> tuple[Finding, ...]:
    """List everything that is damaged or unfinished; change nothing.

    Args:
        database: the file; a missing one is an empty, intact memory.
        progress: called with `(parts done, parts, message)`.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, or one that others keep changing while
            it is read; FORBIDDEN when it is unreadable, TIMEOUT when it is locked. A damaged file is a finding, not a
            fault.
    """
    if not database.exists():
        return ()

    def check_tables(db: Tables | None) -> tuple[Finding, ...]:
        return tuple(_run_checks(db, _CHECKS, progress)) if db else ()

    try:
        return read_for_check(database, check_tables)
    except Fault as fault:
        if fault.code not in DAMAGE_CODES:
            raise
        return (Finding("file", fault.message),)
    except Exception as error:  # noqa: BLE001 - whatever reading raises is damage, and must not end the check
        return (Finding("file", f"it cannot be read as a whole ({type(error).__name__}: {error})"),)


def check_store(store: Store, progress: Progress | None = None) -> tuple[Finding, ...]:
    """List what is damaged or unfinished in an open memory of a database server.

    Raises:
        Fault: see `storage.Store`.
    """
    with store.begin_read() as db:
        return tuple(_run_checks(db, _CHECKS, progress))


def has_file_damage(database: Path) -> bool:
    """Check whether the file is damaged, so that no repair in place works.

    That some page is unreadable may only show when another part is checked.

    Raises:
        Fault: as `check`.
    """
    return any(finding.part == "file" for finding in check_memory(database))


def _run_checks(db: Tables, checks: Sequence[Check], progress: Progress | None) -> Iterator[Finding]:
    for done, (part, look) in enumerate(checks):
        if progress:
            progress(done, len(checks), f"checking the {part}")
        found = list(look(db))
        yield from found
        # Where pages are damaged, each further check would name the same damage again by its own rows.
        if part == "file" and found:
            return


def _check_file(db: Tables) -> Iterator[Finding]:
    """Yield SQLite's integrity messages, and missing tables."""
    for message in db.check_integrity(_MAX_FINDINGS):
        yield Finding("file", f"the database reports: {message}")
    for name in db.list_missing_objects():
        yield Finding("file", f'"{name}" is missing from the database')


def _check_chunks(db: Tables) -> Iterator[Finding]:
    """Yield invalid chunks and unfinished indexing."""
    for id_, path in db.damage.list_orphan_chunks(_MAX_FINDINGS):
        yield Finding("text", f'chunk "{id_}" belongs to "{path}", which is not indexed')
    for id_ in db.damage.list_garbled_chunks(_MAX_FINDINGS):
        yield Finding("text", f'the metadata of chunk "{id_}" is not a JSON object')
    meta = db.meta.get_all()
    state = meta.get("index_state")
    if "generation" not in meta and db.chunks.get_last_number():
        yield Finding("text", "the number of the memory's changes cannot be read")
    if state == RUNNING:
        message = "an indexing is running" if is_run_active(meta) else "an indexing was cut short, or has just ended"
        yield Finding("text", message, INDEX_COMMAND, unfinished=True)


def _check_text_index(db: Tables) -> Iterator[Finding]:
    """Check that each chunk has exactly the postings of its text.

    Skipped if metadata is unreadable, which contains some terms: its repair rebuilds all postings.
    """
    if db.damage.list_garbled_chunks(1):
        return
    for message in text_index.verify_index(db):
        yield Finding("words", message)


def _check_vectors(db: Tables) -> Iterator[Finding]:
    """Yield vectors without a chunk and chunks without a vector."""
    wrong = db.damage.count_wrong_vectors(DIMENSIONS)
    if wrong:
        yield Finding("vectors", f"{wrong:,} vectors have a missing chunk, a wrong type or a wrong size")
    missing = db.damage.count_unembedded_chunks()
    # Without a model there is none to make, and the doctor reports that.
    if missing and get_embedder() is not None:
        message = f"{missing:,} chunks have no vector yet; search finds them by their words only"
        yield Finding("vectors", message, INDEX_COMMAND, unfinished=True)


def _check_graph(db: Tables) -> Iterator[Finding]:
    """Yield rows without an end, and pending links."""
    for what, count in db.damage.iter_dangling():
        yield Finding("graph", f"{count:,} {what} of the code graph have a missing end")
    if db.references.has_pending():
        # An indexing links all names before it is complete: those that wait afterwards are damage.
        whole = db.meta.get("index_state") == "complete"
        message = "names of the code graph are not linked yet"
        yield Finding("graph", message) if whole else Finding("graph", message, INDEX_COMMAND, unfinished=True)


def _check_journal(db: Tables) -> Iterator[Finding]:
    """Yield unreadable and wrong runs and steps, steps without a run, and gaps."""
    for run in db.damage.list_unreadable_runs(_MAX_FINDINGS):
        yield Finding("journal", f'the document of run "{run}" is not a JSON object')
    for run, seq in db.damage.list_unreadable_steps(_MAX_FINDINGS):
        yield Finding("journal", f'step {seq} of run "{run}" is not a JSON object')
    for run, wrong in islice(iter_wrong_runs(db), _MAX_FINDINGS):
        yield Finding("journal", f'run "{run}" is damaged: {wrong}')
    for run, seq, wrong in islice(iter_wrong_steps(db), _MAX_FINDINGS):
        yield Finding("journal", f'step {seq} of run "{run}" is damaged: {wrong}')
    for run, count in db.damage.list_headless_runs(_MAX_FINDINGS):
        yield Finding("journal", f'{count} steps belong to the missing run "{run}"')
    for run, count, last in db.damage.list_run_gaps(_MAX_FINDINGS):
        yield Finding("journal", f'run "{run}" has {count} steps, but the last one is number {last}')


def iter_wrong_runs(db: Tables) -> Iterator[tuple[str, str]]:
    """Yield the runs that the journal refuses though their documents are JSON objects, and what is wrong."""
    for head in db.damage.iter_runs():
        if wrong := read_run_document(head)[1]:
            yield head.run, wrong


def iter_wrong_steps(db: Tables) -> Iterator[tuple[str, int, str]]:
    """Yield run, number and fault of the steps that the journal refuses though they are JSON objects."""
    for run, seq, document in db.damage.iter_steps():
        if wrong := read_step_document(document)[1]:
            yield run, seq, wrong


_CHECKS: tuple[Check, ...] = (
    ("file", _check_file),
    ("text", _check_chunks),
    ("words", _check_text_index),
    ("vectors", _check_vectors),
    ("graph", _check_graph),
    ("journal", _check_journal),
)
"""Checks in order; if the file itself is damaged, the others are skipped."""
