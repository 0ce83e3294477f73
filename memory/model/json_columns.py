"""JSON documents and other people's text, made fit for a database column."""

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
    """The document as JSON; only ASCII, so that a lone surrogate survives the way there and back.

    Raises:
        Fault: INVALID_INPUT when it is not made of JSON values, or nested too deep.
    """
    try:  # texts and nothing else, as nearly every chunk's metadata is
        return "{" + ",".join([f"{_quoted(key)}:{_quoted(value)}" for key, value in document.items()]) + "}"
    except TypeError:
        return _encode_nested(document)


def _encode_nested(document: Mapping[str, Any]) -> str:
    try:
        return _COMPACT.encode(document)
    except (TypeError, ValueError, RecursionError) as error:
        raise Fault(
            Code.INVALID_INPUT,
            f"this document cannot be kept as JSON ({error})",
            help="use objects, lists, strings, numbers, true, false and null, nested less than 500 deep",
        ) from error


def decode_json(text: str) -> dict[str, Any]:
    """The document that `dumped` wrote."""
    document: dict[str, Any] = json.loads(text)
    return document


def clean_text(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold, and with one kind of line end."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def get_timestamp() -> str:
    """This moment as ISO 8601 in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
