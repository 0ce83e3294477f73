"""Creation time of a file, which no program can set: a reused inode number has another one."""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME = -100, 0x100, 0x800
"""Constants of Linux's `statx(2)`."""
_BUFFER_BYTES, _MASK_OFFSET, _BIRTH_OFFSET = 256, 0, 80
"""Size of `struct statx`, and the offsets of `stx_mask` and `stx_btime` in it; the same on every architecture."""


def read_birth_time(path: str, status: os.stat_result) -> int:
    """Return the creation time in nanoseconds since 1970; 0 where the system does not know it.

    Args:
        path: a file or folder; a link is not followed.
        status: what `os.lstat` returned for it.
    """
    exact = getattr(status, "st_birthtime_ns", None)  # Windows, from Python 3.12
    if exact is not None:
        return int(exact)
    seconds = getattr(status, "st_birthtime", None)  # macOS
    if seconds is not None:
        return int(seconds * 1_000_000_000)
    return status.st_ctime_ns if os.name == "nt" else _read_linux_time(path)


def _read_linux_time(path: str) -> int:
    """Call `statx`, which Python does not offer before 3.15."""
    call = _find_statx()
    if call is None:
        return 0
    buffer = bytearray(_BUFFER_BYTES)
    if call(os.fsencode(path), buffer) != 0:
        return 0
    (mask,) = struct.unpack_from("=I", buffer, _MASK_OFFSET)
    seconds, nanoseconds = struct.unpack_from("=qI", buffer, _BIRTH_OFFSET)
    return int(seconds) * 1_000_000_000 + int(nanoseconds) if mask & _STATX_BTIME else 0


@cache
def _find_statx() -> Callable[[bytes, bytearray], int] | None:
    """Return a function that fills a buffer; None where the C library has no `statx`."""
    try:
        import ctypes  # noqa: PLC0415 - only a folder with an entry in the list needs it

        function: Any = ctypes.CDLL(None).statx
    except (ImportError, AttributeError, OSError, TypeError):
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)
    array_type = ctypes.c_char * _BUFFER_BYTES

    def fill_buffer(path: bytes, buffer: bytearray) -> int:
        return int(function(_AT_FDCWD, path, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, array_type.from_buffer(buffer)))

    return fill_buffer
