"""Schemas that are plainly right: of a few keywords, each used as it is meant to be.

Most schemas of a workflow are of this kind. Whatever examines schemas finds nothing in one, so that it need not look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PLAIN_TEXT = 5_000
"""Characters of a plain schema; what is longer is examined."""
_MAX_DEPTH = 8
_MAX_NAMES = 100
_SCALARS = frozenset({"boolean", "integer", "number", "string"})
_SCALAR_TYPES: dict[str, type] = {"boolean": bool, "string": str}
_ENUM_KEYS = frozenset({"type", "enum"})
_ITEM_KEYS = frozenset({"type", "items"})
_OBJECT_KEYS = frozenset({"type", "properties", "required", "additionalProperties"})


def is_plain_schema(schema: Any, text: str) -> bool:
    """Return whether a schema is plainly right.

    Args:
        schema: the schema.
        text: its `repr`.
    """
    return len(text) <= MAX_PLAIN_TEXT and text.isascii() and "\\" not in text and is_plain_part(schema)


def is_plain_part(schema: Any, depth: int = 0) -> bool:
    """Return whether a schema, of a length that is known to be small, is plainly right."""
    if schema.__class__ is not dict or depth > _MAX_DEPTH:
        return False
    kind = schema.get("type")
    if "enum" in schema:
        return kind in (None, "string") and schema.keys() <= _ENUM_KEYS and _has_different_texts(schema["enum"])
    if kind == "object":
        return _is_plain_object(schema, depth)
    if kind == "array":
        return schema.keys() <= _ITEM_KEYS and ("items" not in schema or is_plain_part(schema["items"], depth + 1))
    return kind.__class__ is str and kind in _SCALARS and len(schema) == 1


def _is_plain_object(schema: Mapping[str, Any], depth: int) -> bool:
    fields, required = schema.get("properties", {}), schema.get("required", [])
    if not schema.keys() <= _OBJECT_KEYS or schema.get("additionalProperties", True).__class__ is not bool:
        return False
    if fields.__class__ is not dict or len(fields) > _MAX_NAMES or not _has_names_of(required, fields):
        return False
    return all(is_plain_part(inner, depth + 1) for inner in fields.values())


def _has_names_of(required: Any, fields: Mapping[str, Any]) -> bool:
    """Return whether `required` lists fields, each once."""
    if required.__class__ is not list:
        return False
    return not required or (_has_different_texts(required) and all(map(fields.__contains__, required)))


def _has_different_texts(values: Any) -> bool:
    is_short = values.__class__ is list and 0 < len(values) <= _MAX_NAMES
    return is_short and all(value.__class__ is str for value in values) and len(set(values)) == len(values)


def fits_plain_schema(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value plainly fits a plain schema; False where that takes more than a look."""
    if "enum" in schema:
        return value.__class__ is str and value in schema["enum"]
    return value.__class__ is _SCALAR_TYPES.get(schema.get("type", ""))
