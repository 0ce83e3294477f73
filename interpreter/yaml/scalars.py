"""Plain YAML scalars by the core schema of YAML 1.2: `yes` and `on` are texts."""

from __future__ import annotations

import re
from typing import Any

# https://yaml.org/spec/1.2.2/#1032-tag-resolution
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGERS = (
    (re.compile(r"[-+]?[0-9]{1,300}\Z"), 10),
    (re.compile(r"0x[0-9a-fA-F]{1,300}\Z"), 16),
    (re.compile(r"0o[0-7]{1,300}\Z"), 8),
)
"""Bounded, because Python rejects integers of many thousand digits; a longer one is a text."""
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NUMBER_STARTS = frozenset("0123456789+-.")


def resolve_scalar(text: str) -> Any:
    """Resolve an unquoted scalar to null, a boolean, a number or a text."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text[0] not in _NUMBER_STARTS:
        return text
    for pattern, base in _INTEGERS:
        if pattern.match(text):
            return int(text, base)
    if _FLOAT.match(text) and abs(float(text)) != float("inf"):
        return float(text)
    return text


def to_key_text(value: Any) -> str:
    """Convert a key of any scalar type to its text, as in JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
