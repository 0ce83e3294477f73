"""Readable copy of a damaged database; the original stays as it is."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from aurora.memory.files import find_log, open_scratch_path
from aurora.memory.sqlite import schema
from aurora.memory.sqlite.rows import fetch_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAGE_SIZE = 4096
_CHANGE_COUNTER = slice(24, 28)
_VERSION_VALID_FOR = slice(92, 96)


@contextmanager
def open_readable_copy(database: Path) -> Iterator[apsw.Connection | None]:
    """Open a copy of the file and its log; None if nothing is readable.

    If the first page, with the start of each table, is lost, that of a new database replaces it: tables are always
    created in the same order, so they start on the same pages.

    Raises:
        OSError: there is no space for a copy.
    """
    with open_scratch_path(database.with_name(f"{database.name}.torn")) as copy:
        shutil.copyfile(database, copy)
        log = find_log(database)
        if log is not None:
            shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))
        db = _open_copy(copy)
        if db is None:
            _replace_first_page(copy)
            db = _open_copy(copy)
        try:
            yield db
        finally:
            if db is not None:
                db.close()


def _open_copy(copy: Path) -> apsw.Connection | None:
    _restore_length(copy)
    try:
        db = apsw.Connection(str(copy))
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
    with copy.open("rb+") as file:
        head = file.read(100)
        file.seek(0, 2)
        size = file.tell()
        meant = int.from_bytes(head[28:32], "big") * _PAGE_SIZE
        if len(head) == len(head.ljust(100)) and size < meant <= max(size, 1) * 100 + (1 << 26):
            file.truncate(meant)
        elif size % _PAGE_SIZE:
            file.truncate(size + _PAGE_SIZE - size % _PAGE_SIZE)


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
    with copy.open("rb+") as file:
        file.write(page)
