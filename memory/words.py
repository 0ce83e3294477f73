"""Words out of code and prose, split before the full-text index sees them."""

from __future__ import annotations

import re
from functools import lru_cache

_IDENTIFIER = re.compile(r"\w+")
# parseHTTPRequest2 -> parse HTTP Request 2
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_FOREIGN_PART = re.compile(r"[^\W\d_]+|\d+")
# Chinese, Japanese and Korean are written without spaces: there a pair of signs is the nearest thing to a word.
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")

LONGEST = 64
"""Longer runs of letters are data (base64, hashes), not words."""


def identifiers(text: str) -> list[str]:
    """The runs of letters, digits and underscores, as they stand; none longer than `LONGEST`."""
    return [found for found in _IDENTIFIER.findall(text) if len(found) <= LONGEST]


def parts_of(identifier: str) -> list[str]:
    """The parts of an identifier in lower case: `readHTTPHeader_v2` gives `read`, `http`, `header`, `v`, `2`."""
    if identifier.isascii():
        return [part.lower() for part in _PART.findall(identifier)]
    out: list[str] = []
    for part in _FOREIGN_PART.findall(identifier.lower()):
        runs = _UNSPACED.findall(part)
        out += [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))] if runs else [part]
    return out


def expand(identifier: str) -> list[str]:
    """The words that an identifier is indexed and asked by: itself in lower case, then its parts if it has several."""
    whole = identifier.lower().strip("_")
    if not whole or len(whole) > LONGEST:
        return []
    parts = [part for part in parts_of(identifier) if len(part) > 1]
    return [whole] if not parts or parts == [whole] else [whole, *parts]


def split(text: str) -> str:
    """All the words of a text, code or prose or a path, with one space between them, for a full-text column."""
    return " ".join(filter(None, map(_joined, _IDENTIFIER.findall(text))))


@lru_cache(maxsize=1 << 15)
def _joined(identifier: str) -> str:
    """A project says the same few thousand names again and again: half the time of indexing goes without this."""
    return " ".join(expand(identifier))
