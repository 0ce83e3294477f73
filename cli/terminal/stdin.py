"""What comes by standard input."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BYTES = 900_000
"""Bytes that are taken: written as JSON they still fit into the arguments of a call."""


def read_stdin() -> str:
    """The text, without its byte order mark.

    Raises:
        Fault: INVALID_INPUT when it is not UTF-8, or too large.
    """
    data = sys.stdin.buffer.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        message = f"standard input is larger than {_MAX_BYTES:,} bytes"
        raise Fault(Code.INVALID_INPUT, message, help="Save it in a file, and name the file.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Fault(
            Code.INVALID_INPUT,
            f"standard input is not UTF-8: byte 0x{data[error.start]:02x} in line {line}",
            help="Pipe a text in UTF-8.",
        ) from None


@contextmanager
def spool_stdin() -> Iterator[Path]:
    """All of it in a file of its own, which is gone when the block ends."""
    import shutil  # noqa: PLC0415 - every command knows of this file, and few are piped to
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - as above

    with TemporaryDirectory(prefix="aur-") as folder:
        path = Path(folder, "standard input")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path
