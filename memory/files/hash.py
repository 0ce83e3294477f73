"""Hash of a file's content.

A module of its own, because hashlib loads OpenSSL, which a search rarely needs.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def has_hash(path: Path, digest: str) -> bool:
    """Return True when the file's content has this SHA-256, in hexadecimal.

    Raises:
        OSError: the file cannot be read.
    """
    return sha256(path.read_bytes()).hexdigest() == digest
