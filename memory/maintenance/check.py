"""Check of the memory: every part in one read transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory import text_index
from aurora.memory.database import find_log_end, open_store, read_for_check

from .check_chunks import check_chunks
from .check_graph import check_graph
from .check_journal import check_journal
from .check_vectors import check_vectors
from .findings import INDEX_COMMAND, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from aurora.memory.storage import Store, Tables

    from .findings import MemoryPart

    Progress = Callable[[float, float | None, str], None]
    Check = tuple[MemoryPart, Callable[[Tables], Iterator[Finding]]]

_MAX_FINDINGS = 20
DAMAGE_CODES = frozenset({Code.UPSTREAM_ERROR, Code.INTERNAL_ERROR})
"""Codes of the faults that reading a damaged file raises."""


def _check_file(db: Tables) -> Iterator[Finding]:
    """Yield SQLite's integrity messages, missing tables, and rows that do not match their checksum."""
    for message in db.integrity.check_integrity(_MAX_FINDINGS):
        yield Finding("file", f"the database reports: {message}")
    missing = db.integrity.list_missing_objects()
    for name in missing:
        yield Finding("file", f'"{name}" is missing from the database')
    if missing:  # the checksums cannot be compared without their tables
        return
    for table, key in db.damage.list_broken_seals(_MAX_FINDINGS):
        yield Finding("file", f'"{key}" in "{table}" does not match its checksum')
    for table, count in db.integrity.list_stray_rows():
        yield Finding("file", f'{count:,} rows of "{table}" are on pages that no tree leads to')


def _check_text_index(db: Tables) -> Iterator[Finding]:
    """Check that each chunk has exactly the postings of its text.

    Skipped if metadata is unreadable, which contains some terms: its repair rebuilds all postings.
    """
    if db.damage.list_garbled_chunks(1):
        return
    for message in text_index.verify_index(db):
        yield Finding("words", message)


CHECKS: tuple[Check, ...] = (
    ("file", _check_file),
    ("text", check_chunks),
    ("words", _check_text_index),
    ("vectors", check_vectors),
    ("graph", check_graph),
    ("journal", check_journal),
)
"""Checks in order; if the file itself is damaged, the others are skipped."""


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
        return tuple(_run_checks(db, CHECKS, progress)) if db else ()

    try:
        return (*_check_log_end(database), *read_for_check(database, check_tables))
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
        return tuple(_run_checks(db, CHECKS, progress))


def has_file_damage(database: Path) -> bool:
    """Check whether the file is damaged, so that no repair in place works.

    That some page is unreadable may only show when another part is checked.

    Raises:
        Fault: as `check`.
    """
    return any(finding.part == "file" for finding in check_memory(database))


def _check_log_end(database: Path) -> tuple[Finding, ...]:
    """List the transaction that a killed process or damage left incomplete; the next write drops it."""
    message = find_log_end(database)
    return (Finding("file", message, INDEX_COMMAND, unfinished=True),) if message else ()


def migrate_database(database: Path) -> None:
    """Migrate an older database; leave a damaged one to the caller, unchanged with its log.

    Raises:
        Fault: as the store does.
    """
    try:
        if _is_older(database):
            open_store(database).close()
    except Fault as fault:
        if fault.code not in DAMAGE_CODES:
            raise


def _is_older(database: Path) -> bool:
    try:
        return read_for_check(database, lambda _: False)
    except Fault as fault:
        if "found" in fault.details and "known" in fault.details:
            return bool(fault.details["found"] < fault.details["known"])
        raise


def _run_checks(db: Tables, checks: Sequence[Check], progress: Progress | None) -> Iterator[Finding]:
    for done, (part, look) in enumerate(checks):
        if progress:
            progress(done, len(checks), f"checking the {part}")
        found = list(look(db))
        yield from found
        if part == "file" and found:
            return
