"""Which values of an answer are others at every call, though all else is the same; the manifest marks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIES_KEY = "x-varies"
"""The key that the manifest adds to such a field's schema; it tells why."""

_TIMESTAMP = "a moment"
_DURATION = "how long it took"
_RANDOM_NAME = "a name that is made anew"
_SIZE = "bytes on disk, which the database arranges as it likes"

VOLATILE_FIELDS: Mapping[str, str] = {
    "activation": "it falls with every second",
    "at": _TIMESTAMP,
    "base": "it falls with every second",
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
    "updated_at": _TIMESTAMP,
}
"""Field of an output, wherever it stands -> why its value varies."""


def mark_volatile_fields(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an output with `MARK` on each field that varies."""
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
