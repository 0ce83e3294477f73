"""Encoding of NUL characters, which a text of PostgreSQL cannot contain."""

from __future__ import annotations

_ESCAPE = "\x1a"
"""Control character SUBSTITUTE: it begins an encoded NUL, or an encoded character of its own kind."""


def encode_nul(text: str) -> str:
    """Encode a text without NUL characters, reversibly; nearly every text is its own encoding."""
    if "\0" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")


def decode_nul(text: str) -> str:
    """Decode a text that `encode_nul` encoded."""
    if _ESCAPE not in text:
        return text
    return text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)
