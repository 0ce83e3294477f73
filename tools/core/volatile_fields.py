"""Which values of an answer are others at every call, though all else is the same; the manifest marks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MARK = "x-varies"
"""The key that the manifest adds to such a field's schema; it tells why."""

_MOMENT = "a moment"
_SPAN = "how long it took"
_NAME = "a name that is made anew"
_SIZE = "bytes on disk, which the database arranges as it likes"

VARYING: Mapping[str, str] = {
    "activation": "it falls with every second",
    "at": _MOMENT,
    "base": "it falls with every second",
    "created_at": _MOMENT,
    "duration_ms": _SPAN,
    "embedding_seconds": _SPAN,
    "indexed_at": _MOMENT,
    "made_at": _MOMENT,
    "request_id": _NAME,
    "run": _NAME,
    "seconds": _SPAN,
    "size_bytes": _SIZE,
    "sizes": _SIZE,
    "time": _MOMENT,
    "updated_at": _MOMENT,
}
"""Field of an output, wherever it stands -> why its value varies."""


def marked(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an output with `MARK` on each field that varies."""
    found: dict[str, Any] = _marked(schema)
    return found


def _marked(node: Any) -> Any:
    if isinstance(node, list):
        return [_marked(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _marked(value) for key, value in node.items()}
    fields = made.get("properties")
    if isinstance(fields, dict):
        for name in fields.keys() & VARYING.keys():
            fields[name] = {**fields[name], MARK: VARYING[name]}
    return made
