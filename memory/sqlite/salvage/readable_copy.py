"""Readable copy of a damaged database; the original stays as it is."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.memory.files import find_log, open_scratch_path
from aurora.memory.sqlite import file, schema
from aurora.memory.sqlite.limits import limit_connection
from aurora.memory.sqlite.pages import PageFile
from aurora.memory.sqlite.rows import fetch_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_PAGE_SIZE = 4096
_JOURNAL_MODE = 18
"""Place of the header's two bytes that say whether there is a log."""
_CHANGE_COUNTER = slice(24, 28)
_VERSION_VALID_FOR = slice(92, 96)


class ReadableCopy(NamedTuple):
    """Copy of a damaged database with the pages of its log.

    Attributes:
        db: the connection to it.
        pages: its pages.
        has_first_page: the first page is that of the damaged database.
        lost: what the log lost.
    """

    db: apsw.Connection
    pages: PageFile
    has_first_page: bool
    lost: Sequence[str]


@contextmanager
def open_readable_copy(database: Path) -> Iterator[ReadableCopy | None]:
    """Open a copy of the file and its log; None if nothing is readable.

    If the first page, with the start of each table, is lost, that of a new database replaces it: tables are always
    created in the same order, so they start on the same pages.

    Raises:
        OSError: there is no space for a copy.
    """
    with open_scratch_path(database.with_name(f"{database.name}.torn")) as copy:
        lost = _copy_with_log(database, copy)
        db, has_first_page = _open_copy(copy), True
        if db is None:
            _replace_first_page(copy)
            db, has_first_page = _open_copy(copy), False
        if db is None:
            yield None
            return
        with closing(db), copy.open("rb") as opened:
            yield ReadableCopy(db, PageFile(opened), has_first_page, lost)


def _copy_with_log(database: Path, copy: Path) -> list[str]:
    """Copy a database with the intact pages of its log; return what the log lost."""
    log = find_log(database)
    lost = _copy_files(database, log, copy)
    if log is None or lost or _is_sound(copy) or database.stat().st_size < _PAGE_SIZE:
        return lost
    _copy_files(database, None, copy)
    if _is_sound(copy):
        return ["the changes in the log: it belongs to another database"]
    return _copy_files(database, log, copy)


def _copy_files(database: Path, log: Path | None, copy: Path) -> list[str]:
    file.copy_file(database, copy)  # the repair keeps its lock
    with copy.open("rb+") as image:
        lost = file.apply_damaged_log(image, log) if log is not None else []
        image.seek(0)
        if image.read(len(file.MAGIC)) == file.MAGIC:
            image.seek(_JOURNAL_MODE)
            image.write(b"\1\1")  # a copy has no log
    return lost


def _is_sound(copy: Path) -> bool:
    db = _connect(copy)
    try:
        return bool(db.pragma("quick_check") == "ok")
    except apsw.Error:
        return False
    finally:
        db.close()


def _connect(copy: Path) -> apsw.Connection:
    """Open a copy whose schema may contain anything: its triggers and views are never executed."""
    db = apsw.Connection(str(copy))
    limit_connection(db)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    return db


def _open_copy(copy: Path) -> apsw.Connection | None:
    _restore_length(copy)
    try:
        db = _connect(copy)
    except apsw.Error:
        return None
    try:
        db.pragma("writable_schema", 1)  # lets SQLite continue after a damaged part of the schema
        db.pragma("cell_size_check", 1)  # detects pages of noise
        db.pragma("foreign_keys", 0)
        if fetch_rows(db, "SELECT 1 FROM sqlite_schema WHERE name IN ('chunks', 'runs')"):
            return db
    except apsw.Error:
        pass
    db.close()
    return None


def _restore_length(copy: Path) -> None:
    """Extend a truncated file with empty pages, since SQLite rejects it."""
    with copy.open("rb+") as opened:
        head = opened.read(100)
        opened.seek(0, 2)
        size = opened.tell()
        meant = int.from_bytes(head[28:32], "big") * _PAGE_SIZE
        if len(head) == len(head.ljust(100)) and size < meant <= max(size, 1) * 100 + (1 << 26):
            opened.truncate(meant)
        elif size % _PAGE_SIZE:
            opened.truncate(size + _PAGE_SIZE - size % _PAGE_SIZE)


def _replace_first_page(copy: Path) -> None:
    """Replace the first page of the copy by that of a new database."""
    donor = copy.with_name(f"{copy.name}-journal")  # one of the names that `scratch` removes
    donor.unlink(missing_ok=True)
    db = apsw.Connection(str(donor))
    try:
        db.pragma("page_size", _PAGE_SIZE)
        db.pragma("journal_mode", "off")
        with db:
            schema.create_schema(db)
    finally:
        db.close()
    page = bytearray(donor.read_bytes()[:_PAGE_SIZE])
    donor.unlink()
    page[_CHANGE_COUNTER], page[_VERSION_VALID_FOR] = (
        b"\0\0\0\2",
        b"\0\0\0\1",
    )  # if they differ, SQLite derives the number of pages from the size
    with copy.open("rb+") as opened:
        opened.write(page)
