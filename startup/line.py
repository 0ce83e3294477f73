"""Line of the host: a request that a cache may answer, a notification, or anything else."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any

MAX_LINE_BYTES = 65_536
"""Bytes of a line that is read here; the server itself reads longer ones."""
_REQUEST_KEYS = frozenset({"jsonrpc", "id", "method", "params"})
_MAX_ID = 2**53


class Line:
    """Line of the host.

    Attributes:
        message: the JSON object.
        id: the JSON of its id; empty for a notification.
        method: the method.
        params: the parameters, or None.
    """

    __slots__ = ("id", "message", "method", "params")

    def __init__(self, message: dict[str, Any], identifier: str) -> None:
        self.message = message
        self.id = identifier
        self.method: str = message["method"]
        self.params: dict[str, Any] | None = message.get("params")


def parse_line(line: bytes) -> Line | None:
    """Return a plain request or notification; None for a line that only the server judges."""
    if len(line) > MAX_LINE_BYTES:
        return None
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not _REQUEST_KEYS.issuperset(message) or message.get("jsonrpc") != "2.0":
        return None
    if not isinstance(message.get("method"), str) or not isinstance(message.get("params", {}), dict):
        return None
    identifier = _format_id(message["id"]) if "id" in message else ""
    return None if identifier is None else Line(message, identifier)


def _format_id(value: Any) -> str | None:
    """Return the JSON of an id, as the server writes it; None for one that only the server judges."""
    if type(value) is int and abs(value) <= _MAX_ID:
        return str(value)
    if isinstance(value, str) and value and value.isascii() and value.isprintable():
        return json.dumps(value)
    return None
