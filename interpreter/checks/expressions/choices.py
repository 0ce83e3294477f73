"""Summaries of schemas: types and choices, through `allOf`, `anyOf` and `oneOf`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import Shape, enter_part

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_DEPTH = 4


def summarize_schema(shape: Shape, depth: int = 0) -> dict[str, Any]:
    """Summarize a schema: what all parts of `allOf` say, and the types or choices of the alternatives."""
    schema = dict(shape.resolve() or {})
    if depth > _MAX_DEPTH:
        return schema
    for part in _list_parts(schema, "allOf"):
        for key, value in summarize_schema(enter_part(shape, part), depth + 1).items():
            schema.setdefault(key, value)
    for keyword in ("anyOf", "oneOf"):
        parts = [summarize_schema(enter_part(shape, part), depth + 1) for part in _list_parts(schema, keyword)]
        if parts:
            _unite_parts(schema, parts)
    return schema


def list_choices(schema: Mapping[str, Any]) -> list[Any] | None:
    """List the only values that fit a schema, or None when there may be others."""
    if "const" in schema:
        return [schema["const"]]
    if schema.get("enum"):
        return list(schema["enum"])
    return [None] if schema.get("type") == "null" else None


def _list_parts(schema: Mapping[str, Any], keyword: str) -> list[Mapping[str, Any]]:
    parts = schema.get(keyword)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _unite_parts(schema: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    """Add the choices of the alternatives, or else their types, unless the schema states its own."""
    choices = [list_choices(part) for part in parts]
    if all(found is not None for found in choices):
        if list_choices(schema) is None:
            schema["enum"] = _drop_repeated([value for found in choices for value in found or ()])
        return
    types = [part.get("type") for part in parts]
    if "type" not in schema and all(isinstance(found, str | list) for found in types):
        names = [name for found in types for name in ([found] if isinstance(found, str) else found or ())]
        schema["type"] = list(dict.fromkeys(str(name) for name in names))


def _drop_repeated(values: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for value in values:
        if not any(type(value) is type(other) and value == other for other in kept):
            kept.append(value)
    return kept
