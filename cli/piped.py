"""What comes by standard input."""

from __future__ import annotations

import sys

from ..faults import Code, Fault

_MOST = 4_000_000
"""Bytes that are read; a document that is larger is refused by whoever takes it."""


def piped() -> str:
    """The text, without its byte order mark.

    Raises:
        Fault: INVALID_INPUT when it is not UTF-8.
    """
    data = sys.stdin.buffer.read(_MOST)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Fault(
            Code.INVALID_INPUT,
            f"standard input is not UTF-8: byte 0x{data[error.start]:02x} in line {line}",
            help="Pipe a text in UTF-8.",
        ) from None
