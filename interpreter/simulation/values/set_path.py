"""Schema and value access by a path of plain names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .normalise import merge_schemas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .normalise import Schema


class _Absent:
    """The value of an absent property, which is not null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


def find_schema(schema: Any, path: Sequence[str]) -> Schema:
    """Find the schema at the path; an open one where it is unknown."""
    here = schema
    for name in path:
        here = _find_property(here, name)
    return here if isinstance(here, dict) else {}


def _find_property(schema: Any, name: str) -> Schema:
    if not isinstance(schema, dict):
        return {}
    found: Any = schema.get("properties", {}).get(name)
    if found is None:
        more = schema.get("additionalProperties")
        found = more if isinstance(more, dict) else {}
    for part in schema.get("allOf", ()):
        found = merge_schemas(found, _find_property(part, name))
    for key in ("anyOf", "oneOf"):
        inner = [_find_property(branch, name) for branch in schema.get(key, ())]
        if inner and all(inner):
            found = merge_schemas(found, {"anyOf": inner})
    return found if isinstance(found, dict) else {}


def is_required(schema: Schema, name: str) -> bool:
    """Return whether every object that fits has the name."""
    return name in schema.get("required", ()) or any(is_required(part, name) for part in schema.get("allOf", ()))


def set_value(value: Any, path: Sequence[str], new: Any) -> Any:
    """Set or remove the value at the path; missing objects on the way are created."""
    if not path:
        return None if new is ABSENT else new
    updated = dict(value) if isinstance(value, dict) else {}
    if len(path) == 1 and new is ABSENT:
        updated.pop(path[0], None)
        return updated
    if len(path) > 1 and new is ABSENT and not isinstance(updated.get(path[0]), dict):
        return updated
    updated[path[0]] = set_value(updated.get(path[0]), path[1:], new)
    return updated
