"""Is the memory whole? Every part is looked at in one read transaction, while others may use the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.database import open_store
from aurora.memory.sqlite import open_for_check
from aurora.memory.text_index import verify as lexicon_verify

from .check_chunks import check_chunks
from .check_graph import check_graph
from .check_journal import check_journal
from .check_vectors import check_vectors
from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from aurora.memory.sqlite.tables import Tables

    from .findings import MemoryPart

    Progress = Callable[[float, float | None, str], None]
    Check = tuple[MemoryPart, Callable[[Tables], Iterator[Finding]]]

_MAX_FINDINGS = 20


def _check_file(db: Tables) -> Iterator[Finding]:
    """What the database says of itself, and tables that are not there."""
    for said in db.integrity.check_integrity(_MAX_FINDINGS):
        yield Finding("file", f"SQLite finds: {said}")
    for name in db.integrity.list_missing_objects():
        yield Finding("file", f'"{name}" is missing from the database')


def _check_text_index(db: Tables) -> Iterator[Finding]:
    """Each chunk has just the postings that its text gives.

    Not looked at where metadata cannot be read, from which some words come: mending that makes all postings anew.
    """
    if db.damage.list_garbled_chunks(1):
        return
    for said in lexicon_verify.verify_index(db):
        yield Finding("words", said)


CHECKS: tuple[Check, ...] = (
    ("file", _check_file),
    ("text", check_chunks),
    ("words", _check_text_index),
    ("vectors", check_vectors),
    ("graph", check_graph),
    ("journal", check_journal),
)
"""What is looked at, in this order; when the file itself is torn, nothing further is."""


def check_memory(
    database: Path,
    progress: Callable[[float, float | None, str], None] | None = None,
    *,
    only: MemoryPart | None = None,
) -> tuple[Finding, ...]:
    """Everything that is wrong with a memory, or not finished; nothing is changed.

    Args:
        database: the file; none is an empty memory, and whole.
        progress: told `(parts done, parts, message)`.
        only: look at this part alone.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program, FORBIDDEN when it may not be read,
            TIMEOUT when it is locked. A damaged file is no fault here, but a finding.
    """
    if not database.exists():
        return ()
    try:
        with open_for_check(database) as db:
            checks = [one for one in CHECKS if only in {None, one[0]}]
            return tuple(_run_checks(db, checks, progress)) if db else ()
    except Fault as fault:
        if fault.code is not Code.UPSTREAM_ERROR:
            raise
        return (Finding("file", fault.message),)


def has_file_damage(database: Path) -> bool:
    """Whether the file itself is damaged, so that nothing in it can be mended in place.

    Raises:
        Fault: as `check`.
    """
    return any(one.part == "file" for one in check_memory(database, only="file"))


def migrate_database(database: Path) -> None:
    """Let an older database grow to this version; a damaged one is left to whoever looks at it next.

    Raises:
        Fault: as the store does.
    """
    try:
        open_store(database).close()
    except Fault as fault:
        if fault.code is not Code.UPSTREAM_ERROR:
            raise


def _run_checks(db: Tables, checks: Sequence[Check], progress: Progress | None) -> Iterator[Finding]:
    for done, (part, look) in enumerate(checks):
        if progress:
            progress(done, len(checks), f"checking the {part}")
        found = list(look(db))
        yield from found
        if part == "file" and found:
            return
