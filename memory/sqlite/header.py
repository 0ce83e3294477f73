"""Header of the database file, read without dropping locks, and checked against what Aurora writes."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import apsw

from aurora.errors import Code, Fault, check_cancelled
from aurora.memory.files import refuse_foreign_link
from aurora.memory.sqlite.errors import build_damage_fault

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

HEADER_BYTES = 100
"""Bytes of the header; sqlite.org/fileformat2.html, 1.3, has all offsets below."""
MAGIC = b"SQLite format 3\x00"
PRIVATE = 0o600
"""Mode of each file of the memory: its owner reads and writes it."""
_SUFFIX = ".db"
"""Ending of memories: another file that is no database is none that was damaged."""
APPLICATION_ID = slice(68, 72)
OWNER_MARK = slice(72, 92)
"""Places of the application id, and of the bytes that SQLite reserves: see `owner`."""
_APPLICATION = b"AURA"
_FIXED_FIELDS: tuple[tuple[str, slice, tuple[bytes, ...]], ...] = (
    ("the page size", slice(16, 18), (b"\x10\x00",)),
    ("the journal mode", slice(18, 20), (b"\x01\x01", b"\x02\x02")),
    ("the payload fractions", slice(20, 24), (b"\x00\x40\x20\x20",)),
    ("the schema format", slice(44, 48), (b"\0\0\0\4",)),
    ("the cache size", slice(48, 52), (bytes(4),)),
    ("the vacuum mode", slice(52, 56), (bytes(4),)),
    ("the text encoding", slice(56, 60), (b"\0\0\0\1",)),
    ("the vacuum mode", slice(64, 68), (bytes(4),)),
)
"""Fields that are the same in every database of Aurora."""
_SETTLING_SECONDS = 1.0
"""Seconds after the last write in which a short file may be one that another process is creating."""
_SETTLING_READS = 40
_COPIED_BYTES = 1 << 20
"""Bytes that a copy reads at once."""


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
        if self.body[APPLICATION_ID] != _APPLICATION:
            return None
        return next((name for name, place, right in _FIXED_FIELDS if self.body[place] not in right), None)


def read_header(path: Path) -> bytes:
    """Read the header of a file, or what there is of it.

    Raises:
        apsw.Error: the file cannot be opened or read.
    """
    with contextlib.closing(iter_blocks(path, HEADER_BYTES)) as blocks:
        return next(blocks, b"")


def iter_blocks(path: Path, size: int) -> Generator[bytes]:
    """Yield the content of a file in blocks of this many bytes; the last one may be shorter.

    SQLite opens it: when Python closes a file, all locks of this process on it are gone, and another process may then
    delete the log that this one still uses (sqlite.org/howtocorrupt.html, 2.2).

    Raises:
        apsw.Error: the file cannot be opened or read.
    """
    if sys.platform == "win32":  # locks belong to the open file there
        with path.open("rb") as opened:
            while block := opened.read(size):
                yield block
        return
    file = apsw.VFSFile("unix", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        end = file.xFileSize()
        for place in range(0, end, size):
            yield file.xRead(min(size, end - place), place)
    finally:
        file.xClose()


def _refuse_other_kinds(path: Path) -> None:
    """Refuse what AURORA_DB may name by mistake, and a repair would move away.

    Raises:
        Fault: INVALID_INPUT for a folder, a device, and a file with another ending that is no database.
    """
    if path.is_dir():
        what, remedy = "is a folder, not a file", "move the folder away, or set AURORA_DB to a file"
    elif not path.is_file():
        what, remedy = "is a device, a pipe or a socket, not a file", "set AURORA_DB to a file"
    elif path.suffix != _SUFFIX and path.stat().st_size and not read_header(path).startswith(MAGIC):
        what, remedy = "never was a memory: it is no SQLite database", "set AURORA_DB to another file"
    else:
        return
    message = f'the memory "{path}" {what}'
    raise Fault(Code.INVALID_INPUT, message, help=remedy, details={"path": str(path)})


def copy_file(source: Path, target: Path) -> None:
    """Copy a file block by block, with holes in place of zeros.

    Raises:
        apsw.Error, OSError: a file cannot be opened, read or written.
    """
    with target.open("wb") as opened:
        for block in iter_blocks(source, _COPIED_BYTES):
            check_cancelled()
            if block.count(0) == len(block):
                opened.seek(len(block), os.SEEK_CUR)
            else:
                opened.write(block)
        opened.truncate()


def check_file(path: Path) -> None:
    """Raise a fault for a file that cannot be an intact database.

    Raises:
        Fault: INVALID_INPUT for a folder, a device, or a file that never was a memory, UPSTREAM_ERROR for another kind
            of file or a truncated one, FORBIDDEN for a link in `.aurora/`.
    """
    refuse_foreign_link(path)
    if not path.exists():
        return
    _refuse_other_kinds(path)
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


def create_private(path: Path) -> None:
    """Create an empty file for its owner only; SQLite gives its log and index the rights of the database.

    Raises:
        OSError: the file cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))
