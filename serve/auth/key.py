"""Key that signs the states of questions: one for the account, so that every worker accepts them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, write_atomically
from aurora.trust import PRIVATE_FILE, PrivateFileError, lock_exclusively, read_private_file

if TYPE_CHECKING:
    from pathlib import Path

KEY_FILE = "serve-key"
KEY_BYTES = 32
_MAX_FILE_BYTES = 1_000_000


def load_signing_key(folder: Path) -> bytes:
    """Return the key; make it when there is none.

    Args:
        folder: the folder of the file; servers on several machines share a copy of it.

    Raises:
        Fault: FORBIDDEN when it cannot be read or written, or anyone else could have written it.
    """
    path = folder / KEY_FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_exclusively(path.with_suffix(".lock")):
            if not path.exists():
                write_atomically(path, secrets.token_bytes(KEY_BYTES), PRIVATE_FILE)
            key = read_private_file(path, _MAX_FILE_BYTES)
    except (OSError, PrivateFileError) as error:
        reason = error.what if isinstance(error, PrivateFileError) else (error.strerror or str(error)).lower()
        raise Fault(
            Code.FORBIDDEN, f'the key "{path}" cannot be used: {reason}', help="Delete it; a new one is made."
        ) from None
    if len(key) != KEY_BYTES:
        raise Fault(Code.FORBIDDEN, f'the key "{path}" is damaged', help="Delete it; a new one is made.")
    return key
