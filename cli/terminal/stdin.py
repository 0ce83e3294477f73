"""Standard input: as text, or spooled to a file."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, open_temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_BYTES = 900_000
"""Maximum size in bytes: written as JSON it still fits into the arguments of a call."""


def read_stdin() -> str:
    """Return the text, without its byte order mark.

    Raises:
        Fault: INVALID_INPUT when it is not UTF-8, or too large.
    """
    data = sys.stdin.buffer.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        message = f"standard input is larger than {_MAX_BYTES:,} bytes"
        raise Fault(Code.INVALID_INPUT, message, help="Save it in a file and pass the file's name.")
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
    """Write all of it to a temporary file, which is deleted when the block ends."""
    with open_temporary_folder("stdin") as folder:
        path = folder / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path
