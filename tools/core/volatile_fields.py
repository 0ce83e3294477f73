"""Volatile fields: outputs that differ at every call; the manifest marks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIES_KEY = "x-varies"
"""Key that the manifest adds to the schema of such a field; its value is the reason."""

_TIMESTAMP = "a timestamp"
_DURATION = "a duration"
_DIGITS = "the digits of durations count"
_RANDOM_NAME = "a random name"
_SIZE = "bytes on disk, which depend on the database's internal layout"

VOLATILE_FIELDS: Mapping[str, str] = {
    "activation": "it decays over time",
    "at": _TIMESTAMP,
    "base": "it decays over time",
    "created_at": _TIMESTAMP,
    "duration_ms": _DURATION,
    "embedding_seconds": _DURATION,
    "indexed_at": _TIMESTAMP,
    "made_at": _TIMESTAMP,
    "request_id": _RANDOM_NAME,
    "run": _RANDOM_NAME,
    "seconds": _DURATION,
    "size_bytes": _SIZE,
    "sizes": _SIZE,
    "time": _TIMESTAMP,
    "tokens": _DIGITS,
    "tokens_used": _DIGITS,
    "updated_at": _TIMESTAMP,
}
"""Name of an output field at any depth -> the reason why its value varies."""


def mark_volatile_fields(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an output with `VARIES_KEY` on each volatile field."""
    found: dict[str, Any] = _mark_node(schema)
    return found


def _mark_node(node: Any) -> Any:
    if isinstance(node, list):
        return [_mark_node(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _mark_node(value) for key, value in node.items()}
    fields = made.get("properties")
    if isinstance(fields, dict):
        for name in fields.keys() & VOLATILE_FIELDS.keys():
            fields[name] = {**fields[name], VARIES_KEY: VOLATILE_FIELDS[name]}
    return made
