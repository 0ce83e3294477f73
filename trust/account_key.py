"""Marks of what began in this account: signatures with its secret key, stamps of its own files."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import struct
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import ignore_changes

from .state import PRIVATE_FILE, PRIVATE_FOLDER, PrivateFileError, find_state_file, read_private_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY_FILE = "account.key"
_KEY_BYTES = 32
_MAX_FILE_BYTES = 1_000_000
_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME = -100, 0x100, 0x800
"""Constants of Linux's `statx(2)`."""
_BUFFER_BYTES, _MASK_OFFSET, _BIRTH_OFFSET = 256, 0, 80
"""Size of `struct statx`, and the offsets of `stx_mask` and `stx_btime` in it; the same on every architecture."""
_known: dict[Path, bytes] = {}


def sign_words(*words: str) -> str:
    """Sign words with the key of this account: HMAC-SHA-256 over each with its length, in hexadecimal.

    Returns:
        Empty for an account whose state folder cannot be written.
    """
    key = _find_key()
    if key is None:
        return ""
    # With the length of each word: `ab`, `c` and `a`, `bc` must not have the same signature.
    parts = [word.encode("utf-8", "surrogatepass") for word in words]
    return hmac.new(key, b"".join(b"%d:%b" % (len(part), part) for part in parts), hashlib.sha256).hexdigest()


def is_signed(signature: object, *words: str) -> bool:
    """Check a signature; any is right for an account whose state folder cannot be written."""
    expected = sign_words(*words)
    # Such an account has signed nothing, and could not continue
    # its own runs. A new session is then told of no run.
    if not expected:
        return True
    given = signature.encode("utf-8", "surrogatepass") if isinstance(signature, str) else b""
    return hmac.compare_digest(given, expected.encode())


def explain_missing_key() -> tuple[str, str]:
    """Explain to the person why this account has no key, and what to do."""
    state = find_state_file()
    if state is None:
        return "this account has no home folder", "set HOME or XDG_STATE_HOME"
    path = state.with_name(KEY_FILE)
    try:
        read_private_file(path, _MAX_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        what = f'the state folder "{path.parent}" has no key and cannot be written'
        return what, "make that folder writable, or set XDG_STATE_HOME to one that only you can write"
    except PrivateFileError as error:
        return f'the key "{path}" {error.what}', error.remedy.removesuffix(".") or "move it away: a new one is made"
    except OSError as error:
        return f'the key "{path}" cannot be read ({error.strerror or error})', "give yourself read permission for it"
    return f'the key "{path}" is damaged', "move it away: a new one is made"


def _find_key() -> bytes | None:
    """Read the key, and make it at its first use; None where it cannot be kept."""
    state = find_state_file()
    if state is None:
        return None
    path = state.with_name(KEY_FILE)
    if path not in _known:
        key = _read_key(path) or _make_key(path)
        if key is None:
            return None
        _known[path] = key
    return _known[path]


def _read_key(path: Path) -> bytes | None:
    try:
        key = read_private_file(path, _MAX_FILE_BYTES)
    except (OSError, PrivateFileError):
        return None
    return key if len(key) == _KEY_BYTES else None


def _make_key(path: Path) -> bytes | None:
    """Write a new key; of two processes that do so at once, the first one's is kept."""
    import secrets  # noqa: PLC0415 - it takes 5 ms, once in the life of an account

    draft = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    with contextlib.suppress(OSError), ignore_changes():
        path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE), "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                # Not a rename, which would replace the key of a process that
                # was first, and all that it has signed by then.
                os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    return _read_key(path)


class FileStamp(NamedTuple):
    """Stamp of a file or folder that no later one has.

    Attributes:
        inode: its inode number, which the file system may give to another file once it is deleted.
        birth: its creation time in nanoseconds since 1970; 0 when unknown.
    """

    inode: int
    birth: int


def read_stamp(path: str) -> FileStamp:
    """Read the stamp of a file or folder; a link is not followed.

    Raises:
        OSError: there is none.
    """
    status = os.lstat(path)
    return FileStamp(status.st_ino, read_birth_time(path, status))


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
