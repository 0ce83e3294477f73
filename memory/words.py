"""Words out of code and prose, split before the full-text index sees them."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(r"[^\W\d]\w*|\d\w*")
# parseHTTPRequest2 -> parse HTTP Request 2
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")

LONGEST = 64
"""Longer runs of letters are data (base64, hashes), not words."""


def parts_of(identifier: str) -> list[str]:
    """The parts of an identifier in lower case: `readHTTPHeader_v2` gives `read`, `http`, `header`, `v`, `2`."""
    return [part.lower() for part in _PART.findall(identifier)]


def code_words(text: str) -> str:
    """The words of code, for an index without stemming: each identifier whole, and its parts when it has several."""
    out: list[str] = []
    seen: dict[str, str] = {}
    for identifier in _IDENTIFIER.findall(text):
        expanded = seen.get(identifier)
        if expanded is None:
            expanded = seen[identifier] = _expand(identifier)
        if expanded:
            out.append(expanded)
    return " ".join(out)


def prose_words(text: str) -> str:
    """The words of prose, for an index that stems: as they stand, with camelCase and snake_case also taken apart."""
    return code_words(text)


def path_words(path: str) -> str:
    """The words of a path: every folder, the name, their parts."""
    return code_words(path)


def _expand(identifier: str) -> str:
    if len(identifier) > LONGEST:
        return ""
    whole = identifier.lower()
    parts = parts_of(identifier)
    if len(parts) < 2:  # noqa: PLR2004 - one part is the whole
        return whole if parts else ""
    return " ".join([whole, *(part for part in parts if len(part) > 1)])
