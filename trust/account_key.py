"""Secret key of the user's account, with which Aurora marks what began here."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
from typing import TYPE_CHECKING

from aurora.faults import ignore_changes

from .lock import PRIVATE_FILE
from .private_file import PrivateFileError, read_private_file
from .state_file import find_state_file

if TYPE_CHECKING:
    from pathlib import Path

KEY_FILE = "account.key"
_KEY_BYTES = 32
_MAX_FILE_BYTES = 1_000_000
_PRIVATE_FOLDER = 0o700
_known: dict[Path, bytes] = {}


def sign_words(*words: str) -> str:
    """Sign words with the key of this account: HMAC-SHA-256 over each with its length, in hexadecimal.

    Returns:
        Empty for an account whose state folder cannot be written.
    """
    key = _find_key()
    if key is None:
        return ""
    parts = [word.encode("utf-8", "surrogatepass") for word in words]
    return hmac.new(key, b"".join(b"%d:%b" % (len(part), part) for part in parts), hashlib.sha256).hexdigest()


def is_signed(signature: object, *words: str) -> bool:
    """Check a signature; any is right for an account whose state folder cannot be written."""
    expected = sign_words(*words)
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
        path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE), "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    return _read_key(path)
