"""Packing of bytes into a text for JSON, and unpacking within a limit."""

from __future__ import annotations

import base64
import zlib

from aurora.faults import Code, Fault

_UPGRADE = "Use the version of Aurora on both sides that the server has."


def pack(data: bytes) -> str:
    """Compress bytes to a text for JSON."""
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def unpack(text: object, limit: int) -> bytes:
    """Decompress a text that `pack` made, up to a size.

    Raises:
        Fault: INVALID_INPUT for any other value, and for one that is larger.
    """
    unpacker = zlib.decompressobj()
    try:
        packed = base64.b64decode(text if isinstance(text, str) else "?", validate=True)
        data = unpacker.decompress(packed, limit + 1)
    except (ValueError, zlib.error):
        raise Fault(Code.INVALID_INPUT, "a part of the push is not base64 of zlib", help=_UPGRADE) from None
    if len(data) > limit or not unpacker.eof or unpacker.unused_data:
        message = f"a part of the push is cut off, or has more than {limit:,} bytes"
        raise Fault(Code.INVALID_INPUT, message, help=_UPGRADE)
    return data
