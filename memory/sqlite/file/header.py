"""Header of the database file, read without dropping locks, and checked against what Aurora writes."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.faults import Code, Fault
from aurora.memory.files import refuse_foreign_link
from aurora.memory.sqlite.errors import build_damage_fault

if TYPE_CHECKING:
    from pathlib import Path

HEADER_BYTES = 100
"""Bytes of the header; sqlite.org/fileformat2.html, 1.3, has all offsets below."""
MAGIC = b"SQLite format 3\x00"
_APPLICATION_ID = b"AURA"
_FIXED_FIELDS: tuple[tuple[str, slice, tuple[bytes, ...]], ...] = (
    ("the page size", slice(16, 18), (b"\x10\x00",)),
    ("the journal mode", slice(18, 20), (b"\x01\x01", b"\x02\x02")),
    ("the payload fractions", slice(20, 24), (b"\x00\x40\x20\x20",)),
    ("the schema format", slice(44, 48), (b"\0\0\0\4",)),
    ("the cache size", slice(48, 52), (bytes(4),)),
    ("the vacuum mode", slice(52, 56), (bytes(4),)),
    ("the text encoding", slice(56, 60), (b"\0\0\0\1",)),
    ("the vacuum mode", slice(64, 68), (bytes(4),)),
    ("the reserved bytes", slice(72, 92), (bytes(20),)),
)
"""Fields that are the same in every database of Aurora."""
_SETTLING_SECONDS = 1.0
"""Seconds after the last write in which a short file may be one that another process is creating."""
_SETTLING_READS = 40


class DatabaseHeader(NamedTuple):
    """Header of a database file, `body`; empty for an empty file."""

    body: bytes

    @property
    def page_count(self) -> int:
        """Number of pages when the header was written."""
        return int.from_bytes(self.body[28:32], "big")

    @property
    def page_size(self) -> int:
        """Bytes of a page."""
        size = int.from_bytes(self.body[16:18], "big")
        return 65536 if size == 1 else size

    def find_wrong_field(self) -> str | None:
        """Name a field with a value that Aurora never writes; None for an intact header or another program's."""
        if self.body[68:72] != _APPLICATION_ID:
            return None
        return next((name for name, place, right in _FIXED_FIELDS if self.body[place] not in right), None)


def read_header(path: Path, size: int = HEADER_BYTES) -> bytes:
    """Read the first bytes of a file.

    SQLite opens it: when Python closes a file, all locks of this process on it are gone, and another process may then
    delete the log that this one still uses (sqlite.org/howtocorrupt.html, 2.2).

    Raises:
        apsw.Error: the file cannot be opened or read.
    """
    if sys.platform == "win32":  # locks belong to the open file there
        with path.open("rb") as opened:
            return opened.read(size)
    file = apsw.VFSFile("unix", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        return file.xRead(min(size, file.xFileSize()), 0)
    finally:
        file.xClose()


def check_file(path: Path) -> None:
    """Raise a fault for a file that cannot be an intact database.

    Raises:
        Fault: INVALID_INPUT for a folder, UPSTREAM_ERROR for another kind of file or a truncated one, FORBIDDEN for a
            link in `.aurora/`.
    """
    refuse_foreign_link(path)
    if path.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'the memory "{path}" is a folder, not a file',
            help="move the folder away, or set AURORA_DB to a file",
            details={"path": str(path)},
        )
    if not path.exists():
        return
    if not path.stat().st_size:
        if has_log(path):
            raise build_damage_fault(path, "it is truncated to nothing, and its log is not")
        return
    head = read_header(path)
    if not head.startswith(MAGIC):
        raise build_damage_fault(path, "it has no SQLite header")
    if _is_truncated(path, head):
        head = _read_settled_header(path)
        if _is_truncated(path, head):
            raise build_damage_fault(path, "it is truncated")
    wrong = DatabaseHeader(head).find_wrong_field()
    if wrong is not None:
        raise build_damage_fault(path, f"{wrong} in its header is wrong")


def read_change_counter(page: bytes) -> int:
    """Return the change counter of a database, which is in its header, and so in its first page."""
    return int.from_bytes(page[24:28], "big")


def has_log(path: Path) -> bool:
    """Return True when the database has a log with content."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:  # the last process that has it open removes it
        return False


def _read_settled_header(path: Path) -> bytes:
    """Read the header again until the file is whole, while another process may still be creating it."""
    head = read_header(path)
    for _ in range(_SETTLING_READS):
        if not _is_truncated(path, head) or time.time() - path.stat().st_mtime > _SETTLING_SECONDS:
            break
        time.sleep(_SETTLING_SECONDS / _SETTLING_READS)
        head = read_header(path)
    return head


def _is_truncated(path: Path, head: bytes) -> bool:
    """Return True for a file that is shorter than its header says; pages may still be in the log."""
    if has_log(path):
        return False
    header = DatabaseHeader(head)
    return len(head) < HEADER_BYTES or path.stat().st_size < header.page_size * header.page_count
