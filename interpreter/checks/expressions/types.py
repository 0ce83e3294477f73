"""JSON types of schema shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import Shape, enter_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .shapes import Namespace

_JSON_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
_TYPE_NAMES = frozenset({*_JSON_TYPES.values(), "expref"})
_MAX_DEPTH = 8


def infer_json_types(value: Namespace | Shape | None, depth: int = 0) -> frozenset[str]:
    """Infer the JSON types of a value, integers as `number`; none when unknown."""
    schema = value.resolve() if isinstance(value, Shape) else None
    if schema is None or not isinstance(value, Shape) or depth > _MAX_DEPTH:
        return frozenset()
    if "const" in schema:
        return frozenset({get_json_type(schema["const"])})
    if schema.get("enum"):
        return frozenset(get_json_type(part) for part in schema["enum"])
    if schema.get("type"):
        return _read_declared_types(schema["type"])
    return _intersect_parts(schema.get("allOf") or (), value, depth + 1) or _unite_alternatives(
        schema.get("anyOf") or schema.get("oneOf") or (), value, depth + 1
    )


def _read_declared_types(declared: Any) -> frozenset[str]:
    """Return the types under `type`; none when one of them is unknown."""
    names = [declared] if isinstance(declared, str) else declared
    types = frozenset("number" if name == "integer" else str(name) for name in names)
    return types if types <= _TYPE_NAMES else frozenset()


def _unite_alternatives(alternatives: Iterable[Any], shape: Shape, depth: int) -> frozenset[str]:
    """Unite the types of the alternatives; none when those of one are unknown."""
    united: frozenset[str] = frozenset()
    for part in alternatives:
        types = infer_json_types(enter_part(shape, part), depth) if isinstance(part, dict) else None
        if not types:
            return frozenset()
        united |= types
    return united


def _intersect_parts(parts: Iterable[Any], shape: Shape, depth: int) -> frozenset[str]:
    """Intersect the types of the parts of `allOf`, as far as they are known."""
    found = [infer_json_types(enter_part(shape, part), depth) for part in parts if isinstance(part, dict)]
    known = [types for types in found if types]
    return frozenset.intersection(*known) if known else frozenset()


def get_json_type(value: Any) -> str:
    """Return the JSON type of a value."""
    return _JSON_TYPES.get(type(value), "object")


def build_typed_shape(*names: str) -> Shape:
    """Build a shape of which only the possible types are known."""
    schema = {"type": names[0] if len(names) == 1 else list(names)}
    return Shape(schema, schema, "its result")


def build_object_shape(fields: Mapping[str, Namespace | Shape | None]) -> Shape:
    """Build the shape of an object that an expression makes: each field is there, and may be null."""
    known = {name: infer_json_types(value) for name, value in fields.items()}
    parts = {name: {"type": sorted({*types, "null"})} if types else {} for name, types in known.items()}
    schema = {"type": "object", "required": [*parts], "properties": parts, "additionalProperties": False}
    return Shape(schema, schema, "the object that the expression makes")


def build_literal_shape(value: Any) -> Shape:
    """Build the shape of a literal."""
    schema = {"const": value}
    return Shape(schema, schema, "the literal")


def infer_item(value: Namespace | Shape | None) -> Shape | None:
    """Infer the shape of an item of the list."""
    schema = value.resolve() if isinstance(value, Shape) else None
    if schema is None or not isinstance(value, Shape) or "prefixItems" in schema:
        return None
    inner = schema.get("items")
    return enter_part(value, inner, f"an item of {value.label}") if isinstance(inner, dict) else None


def infer_values(value: Namespace | Shape | None) -> Shape:
    """Infer the list of an object's values; their types are known if it has no other field."""
    schema = value.resolve() if isinstance(value, Shape) else None
    fields = schema.get("properties") if schema is not None and schema.get("additionalProperties") is False else None
    parts = list(fields.values()) if isinstance(fields, dict) else []
    if not isinstance(value, Shape) or not parts or not all(isinstance(part, dict) for part in parts):
        return build_typed_shape("array")
    items = parts[0] if all(part == parts[0] for part in parts) else {"anyOf": parts}
    return Shape({"type": "array", "items": items}, value.root, f"the values of {value.label}")


def build_list_shape(value: Namespace | Shape | None) -> Shape:
    """Build the shape of a list of such items."""
    if not isinstance(value, Shape):
        return build_typed_shape("array")
    return Shape({"type": "array", "items": value.schema}, value.root, "the list that the expression makes")


def flatten_list_shape(value: Namespace | Shape | None) -> Shape | None:
    """Flatten a list shape, where its items are surely lists or surely none."""
    inner = infer_json_types(infer_item(value))
    if not isinstance(value, Shape) or not inner:
        return build_typed_shape("array")
    if inner == {"array"}:
        return build_list_shape(infer_item(infer_item(value)))
    return value if "array" not in inner else build_typed_shape("array")
