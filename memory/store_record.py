"""What a chunk is known by: its id, its text as it is compared, and what of it is embedded."""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring_ascii


def embedded_as(path: str | None, symbol: str, text: str) -> str:
    """What of a chunk is embedded: where it stands and what it is called say as much as what is in it."""
    return f"{path or ''} {symbol}\n{text}"


def identify(type_: str, *parts: str) -> str:
    """The id of a chunk, from all that makes it itself.

    Returns:
        `type:` and 12 hexadecimal digits of a BLAKE2 hash; 48 bits, so that two of 100,000 chunks share one once
        in 50,000 such memories.
    """
    sealed = f"[{', '.join(map(encode_basestring_ascii, (type_, *parts)))}]".encode()  # as `json.dumps` has it
    return f"{type_}:{hashlib.blake2b(sealed, digest_size=6).hexdigest()}"


def normalised(text: str) -> str:
    """The text without what an editor changes by itself: spaces at the ends of lines, blank lines around it."""
    return "\n".join(map(str.rstrip, text.splitlines())).strip("\n")
