"""Rows of a database's pages, read without its trees (sqlite.org/fileformat2.html, 1.5, 1.6 and 2.1)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from aurora.faults import check_cancelled

from .page_file import PAGE_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .page_file import PageFile

_INDEX_INTERIOR, _INDEX_LEAF, _TABLE_LEAF = 0x02, 0x0A, 0x0D
_PROBED_CELLS = 3
"""Cells of a page that are read to decide if it has wanted rows: all of its rows are of one table."""
_CHECKED_PAGES = 1_000
"""Pages between two checks for cancellation."""
_MAX_ROW_BYTES = 64 * 1024 * 1024
"""Bytes of the largest row that is decoded; its values take three times as many."""
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
"""Bytes of an integer by its serial type."""
_FLOAT, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12

Value = int | float | str | bytes | None
Row = tuple[int | None, tuple[Value, ...]]
"""Row number, None in a table without them, and the values."""


class CellError(ValueError):
    """Error of a cell that is not intact."""


def iter_rows(pages: PageFile, has_shape: Callable[[Sequence[int]], bool]) -> Iterator[Row]:
    """Yield row number (None in a table without them) and values of each cell that can be decoded.

    Pages of the freelist are left out: they contain deleted rows. A row need not be of any table; its checksum tells.

    Args:
        pages: the database with the pages of its log.
        has_shape: decides by the serial types of the values if a row is decoded.

    Raises:
        CellError: the freelist is damaged; no row was yielded.
    """
    unused = _list_unused_pages(pages)
    for number in range(1, pages.count + 1):
        if not number % _CHECKED_PAGES:
            check_cancelled()
        if number not in unused:
            yield from _iter_page(pages, number, has_shape)


def _list_unused_pages(pages: PageFile) -> set[int]:
    """List the pages of the freelist.

    Raises:
        CellError: it has not as many pages as the header says.
    """
    found: set[int] = set()
    trunk, count = struct.unpack_from(">2I", pages.read(1).ljust(40, b"\0"), 32)
    while 0 < trunk <= pages.count and trunk not in found:
        found.add(trunk)
        page = pages.read(trunk)
        trunk, leaves = struct.unpack_from(">2I", page)
        found.update(struct.unpack_from(f">{min(leaves, PAGE_SIZE // 4 - 2)}I", page, 8))
        if len(found) > count:
            break
    if len(found) != count:
        raise CellError("the freelist is damaged")
    return found


def _iter_page(pages: PageFile, number: int, has_shape: Callable[[Sequence[int]], bool]) -> Iterator[Row]:
    page = pages.read(number)
    head = 100 if number == 1 else 0
    kind = page[head]
    if kind not in {_INDEX_INTERIOR, _INDEX_LEAF, _TABLE_LEAF}:
        return
    skipped = 4 if kind == _INDEX_INTERIOR else 0  # the number of the child page
    count = min(int.from_bytes(page[head + 3 : head + 5], "big"), PAGE_SIZE // 4)
    failures = 0
    for place in range(head + 8 + skipped, head + 8 + skipped + 2 * count, 2):
        try:
            at = int.from_bytes(page[place : place + 2], "big") + skipped
            yield _decode_cell(pages, page, at, has_shape, is_table=kind == _TABLE_LEAF)
            failures = -PAGE_SIZE
        except (CellError, IndexError, struct.error, UnicodeDecodeError):
            failures += 1
            if failures == _PROBED_CELLS:
                return


def _decode_cell(
    pages: PageFile, page: bytes, at: int, has_shape: Callable[[Sequence[int]], bool], *, is_table: bool
) -> Row:
    size, at = _read_varint(page, at)
    number = None
    if is_table:
        number, at = _read_varint(page, at)
    if not 0 < size <= min(pages.count * PAGE_SIZE, _MAX_ROW_BYTES):
        raise CellError("the row is larger than the file, or than a row of Aurora's")
    types, _ = _read_types(page[at:])
    if not has_shape(types):
        raise CellError("a row of another table")
    return number, _decode_record(_read_payload(pages, page, at, size, is_table=is_table))


def _read_payload(pages: PageFile, page: bytes, at: int, size: int, *, is_table: bool) -> bytes:
    """Read the payload of a cell with its overflow pages."""
    most = PAGE_SIZE - 35 if is_table else (PAGE_SIZE - 12) * 64 // 255 - 23
    if size <= most:
        return _cut(page, at, size)
    least = (PAGE_SIZE - 12) * 32 // 255 - 23
    local = least + (size - least) % (PAGE_SIZE - 4)
    local = local if local <= most else least
    parts, left = [_cut(page, at, local)], size - local
    following = int.from_bytes(page[at + local : at + local + 4], "big")
    while left > 0 and 0 < following <= pages.count:
        overflow = pages.read(following)
        parts.append(overflow[4 : 4 + left])
        left -= len(parts[-1])
        following = int.from_bytes(overflow[:4], "big")
    if left:
        raise CellError("an overflow page is missing")
    return b"".join(parts)


def _cut(page: bytes, start: int, size: int) -> bytes:
    found = page[start : start + size]
    if len(found) != size:
        raise CellError("the cell ends behind its page")
    return found


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of 1 to 9 bytes; return it and the place behind it."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:  # noqa: PLR2004 - the highest bit says that another byte follows
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _read_types(payload: bytes) -> tuple[list[int], int]:
    """Read the serial types of a row; return them and the place of the first value."""
    size, at = _read_varint(payload, 0)
    types = []
    while at < size:
        serial, at = _read_varint(payload, at)
        types.append(serial)
    return types, at


def _decode_record(payload: bytes) -> tuple[Value, ...]:
    types, at = _read_types(payload)
    values: list[Value] = []
    for serial in types:
        value, at = _decode_value(payload, at, serial)
        values.append(value)
    return tuple(values)


def _decode_value(payload: bytes, at: int, serial: int) -> tuple[Value, int]:
    if serial < len(_INTEGER_BYTES):
        end = at + _INTEGER_BYTES[serial]
        return int.from_bytes(payload[at:end], "big", signed=True) if serial else None, end
    if serial == _FLOAT:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    if serial in {_ZERO, _ONE}:
        return serial - _ZERO, at
    if serial < _FIRST_BLOB:
        raise CellError("a reserved type")
    end = at + (serial - _FIRST_BLOB) // 2
    if end > len(payload):
        raise CellError("a value ends behind its row")
    return (payload[at:end].decode() if serial % 2 else payload[at:end]), end
