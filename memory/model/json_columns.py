"""Conversion of JSON documents and text for database columns."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii as _quoted
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DOCUMENT_DEPTH = 500
"""Levels of a stored document."""
_MAX_DIGITS = 4_300
"""Digits of a whole number that Python reads (`sys.get_int_max_str_digits`)."""
_DIGITS = re.compile(r"[0-9]+")
_BRACKET_OR_TEXT = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+"')
_COMPACT = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def encode_json(document: Mapping[str, Any]) -> str:
    """Encode a document as ASCII JSON, which keeps lone surrogates.

    Raises:
        Fault: INVALID_INPUT when it contains other than JSON values, or is nested too deep.
    """
    try:  # strings only, as in nearly every chunk's metadata
        return "{" + ",".join([f"{_quoted(key)}:{_quoted(value)}" for key, value in document.items()]) + "}"
    except TypeError:
        return _encode_nested(document)


def _encode_nested(document: Mapping[str, Any]) -> str:
    try:
        text = _COMPACT.encode(document)
    except (TypeError, ValueError, RecursionError) as error:
        raise _make_document_fault(str(error)) from error
    if not is_readable_document(text):
        raise _make_document_fault("it is nested too deep, or has a number that is too long")
    return text


def _make_document_fault(reason: str) -> Fault:
    return Fault(
        Code.INVALID_INPUT,
        f"this document cannot be stored as JSON ({reason})",
        help=f"use objects, lists, strings, numbers, true, false and null, nested less than {MAX_DOCUMENT_DEPTH} deep",
    )


def decode_json(text: str) -> dict[str, Any]:
    """Decode a document that `encode_json` wrote."""
    document: dict[str, Any] = json.loads(text)
    return document


def is_readable_document(text: str) -> bool:
    """Return False for JSON that Python cannot read: nested too deep, or with a number that is too long.

    SQLite takes it for JSON. No Aurora writes one; a memory that a clone brings may contain it.
    """
    # Counting is quick, and a document with fewer brackets than levels cannot be too deep.
    if text.count("[") + text.count("{") > MAX_DOCUMENT_DEPTH and _measure_depth(text) > MAX_DOCUMENT_DEPTH:
        return False
    # Python refuses longer whole numbers; digits within a text are no number, which only reading tells.
    if len(text) <= _MAX_DIGITS or max(map(len, _DIGITS.findall(text)), default=0) <= _MAX_DIGITS:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _measure_depth(text: str) -> int:
    depth = deepest = 0
    for mark in _BRACKET_OR_TEXT.finditer(text):
        if mark[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark[0] in "]}":
            depth -= 1
    return deepest


def clean_text(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, and normalize line ends."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def get_timestamp() -> str:
    """Return the current time as ISO 8601 in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
