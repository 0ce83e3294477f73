"""Header of the write-ahead log, and the sizes of its parts (sqlite.org/fileformat2.html, 4)."""

from __future__ import annotations

import struct

PAGE_SIZE = 4096
"""Bytes of a page in every database of Aurora."""
LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_SIZE
MAX_OTHER_FRAMES = 1024
"""Frames without the salts of the last generation behind which none of it is looked for: damage spoils fewer, and the
hole of a log that was only extended has millions."""
LOG_HEADER = struct.Struct(">8I")
"""Magic number, version, page size, number of the checkpoint, two salts, and the checksum's two halves."""
BYTE_ORDERS = {0x377F0682: "<", 0x377F0683: ">"}
"""Magic number of a log -> the byte order of its checksums."""

Checksum = tuple[int, int]
"""The two halves of a checksum, of 32 bits each."""


def find_byte_order(body: bytes) -> str | None:
    """Return the byte order of the checksums of a log; None for a damaged header."""
    order = BYTE_ORDERS.get(int.from_bytes(body[:4], "big"))
    if order is None or len(body) < LOG_HEADER_BYTES:
        return None
    return order if add_checksum((0, 0), body[:24], order) == LOG_HEADER.unpack_from(body)[6:8] else None


def add_checksum(sums: Checksum, data: bytes, order: str) -> Checksum:
    """Continue a checksum over more data.

    Args:
        sums: the checksum of what stands before.
        data: a multiple of 8 bytes.
        order: the byte order of its words, for `struct`.
    """
    x, y = sums
    for first, second in struct.iter_unpack(f"{order}2I", data):
        x = (x + first + y) & 0xFFFFFFFF
        y = (y + second + x) & 0xFFFFFFFF
    return x, y
