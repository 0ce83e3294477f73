"""Content of the write-ahead log, read without opening the database (sqlite.org/fileformat2.html, 4)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_BIG_ENDIAN_MAGIC, _LITTLE_ENDIAN_MAGIC = 0x377F0683, 0x377F0682


def apply_log(image: bytearray, log: Path) -> None:
    """Copy the pages of all committed transactions in a log into the image of its database.

    A frame whose checksum is wrong ends the log, as for SQLite.

    Raises:
        OSError: the log cannot be read.
    """
    body = log.read_bytes()
    if len(body) < _HEADER.size:
        return
    magic, _, page_size, _, *salts = _HEADER.unpack_from(body)[:6]
    if magic not in {_BIG_ENDIAN_MAGIC, _LITTLE_ENDIAN_MAGIC}:
        return
    order = ">" if magic == _BIG_ENDIAN_MAGIC else "<"
    sums = _add_checksum(body[:24], (0, 0), order)
    if sums != _HEADER.unpack_from(body)[6:8]:
        return
    pending: dict[int, int] = {}
    for at in range(_HEADER.size, len(body) - page_size - _FRAME.size + 1, page_size + _FRAME.size):
        page, size, *rest = _FRAME.unpack_from(body, at)
        sums = _add_checksum(body[at : at + 8], sums, order)
        sums = _add_checksum(body[at + _FRAME.size : at + _FRAME.size + page_size], sums, order)
        if rest != [*salts, *sums]:
            return
        pending[page] = at + _FRAME.size
        if size:  # the last frame of a transaction has the number of pages after it
            _resize(image, size * page_size)
            for number, place in pending.items():
                if number <= size:
                    image[(number - 1) * page_size : number * page_size] = body[place : place + page_size]
            pending = {}


def _resize(image: bytearray, size: int) -> None:
    del image[size:]
    image.extend(bytes(size - len(image)))


def _add_checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    """Add data to the log's running checksum; its length is a multiple of eight."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
