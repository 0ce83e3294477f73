"""Conversion of JSON documents and text for database columns."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii as _quoted
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        return _COMPACT.encode(document)
    except (TypeError, ValueError, RecursionError) as error:
        raise Fault(
            Code.INVALID_INPUT,
            f"this document cannot be stored as JSON ({error})",
            help="use objects, lists, strings, numbers, true, false and null, nested less than 500 deep",
        ) from error


def decode_json(text: str) -> dict[str, Any]:
    """Decode a document that `encode_json` wrote."""
    document: dict[str, Any] = json.loads(text)
    return document


def clean_text(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, and normalize line ends."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def get_timestamp() -> str:
    """Return the current time as ISO 8601 in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
