"""Keys of an index, whose entries have at most 2,704 bytes in PostgreSQL."""

from __future__ import annotations

import hashlib

_MAX_BYTES = 2_000
_KEPT_CHARS = 400
_DIGEST_BYTES = 16


def shorten_key(text: str) -> str:
    """Shorten a name for an index; a name of any program is its own key.

    Two long names get the same key only if their hashes are equal. A name is shortened when it is written and when it
    is looked up.
    """
    if len(text) * 4 <= _MAX_BYTES or len(data := text.encode("utf-8", "surrogatepass")) <= _MAX_BYTES:
        return text
    return f"{text[:_KEPT_CHARS]}…{hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()}"


def shorten_keys(value: object) -> object:
    """Shorten the texts of an argument or of a list of them; leave anything else as it is."""
    if isinstance(value, str):
        return shorten_key(value)
    if isinstance(value, list):
        return [shorten_key(one) if isinstance(one, str) else one for one in value]
    return value
