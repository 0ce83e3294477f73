"""JSON types, choices and bounds of shapes, through `allOf`, `anyOf` and `oneOf`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema.validator import compile_pattern

from .shapes import Shape, enter_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
_MAX_DEPTH = 4
_LENGTH_KEYWORDS = {
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
    "string": ("minLength", "maxLength"),
}


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


def summarize_schema(shape: Shape, depth: int = 0) -> dict[str, Any]:
    """Summarize a schema: what all parts of `allOf` say, and the types or choices of the alternatives."""
    schema = dict(shape.resolve() or {})
    if depth > _MAX_DEPTH:
        return schema
    for part in _list_parts(schema, "allOf"):
        inner = summarize_schema(enter_part(shape, part), depth + 1)
        _narrow_choices(schema, inner)
        for key, value in inner.items():
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


def bound_length(schema: Mapping[str, Any]) -> dict[str, int]:
    """Bound the length of a text, list or object, as `minimum` and `maximum`; each only where it is known."""
    choices = list_choices(schema)
    if choices:
        lengths = [len(one) for one in choices if isinstance(one, str | list | dict)]
        return {"minimum": min(lengths), "maximum": max(lengths)} if lengths else {"minimum": 0}
    least, most = _LENGTH_KEYWORDS.get(str(schema.get("type")), ("", ""))
    bounds = {"minimum": _read_count(schema, least) or 0, "maximum": _read_count(schema, most)}
    return {key: value for key, value in bounds.items() if value is not None}


def find_item_limit(schema: Mapping[str, Any]) -> int | None:
    """Find the most items of a list; None when it has no limit, or may be no list."""
    choices = list_choices(schema) or ()
    is_list = schema.get("type") == "array" or any(isinstance(one, list) for one in choices)
    return bound_length(schema).get("maximum") if is_list else None


def fits_text(schema: Mapping[str, Any], text: str) -> bool:
    """Return whether a text may have the schema's length and `pattern`; true where that cannot be told."""
    least, most = _read_count(schema, "minLength"), _read_count(schema, "maxLength")
    if (least is not None and len(text) < least) or (most is not None and len(text) > most):
        return False
    pattern = schema.get("pattern")
    try:
        return not isinstance(pattern, str) or compile_pattern(pattern)(text)
    except ValueError:
        return True


def _read_count(schema: Mapping[str, Any], keyword: str) -> int | None:
    """Read a count of the schema; None when it is absent, or no whole number."""
    value = schema.get(keyword)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _narrow_choices(schema: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Keep the choices that a part of `allOf` allows, too."""
    own, allowed = schema.get("enum"), list_choices(part)
    if isinstance(own, list) and allowed is not None:
        kept = [one for one in own if _has_value(allowed, one)]
        schema["enum"] = kept or own  # where nothing is left, the schema has a report of its own


def _list_parts(schema: Mapping[str, Any], keyword: str) -> list[Mapping[str, Any]]:
    parts = schema.get(keyword)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _unite_parts(schema: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    """Add the choices of the alternatives, or else their types, unless the schema states its own."""
    schema["required"] = [*schema.get("required", ()), *_list_common_fields(parts)]
    choices = _chain_lists(list_choices(part) for part in parts)
    types = _chain_lists(_list_types(part) for part in parts)
    if choices is not None:
        if list_choices(schema) is None:
            schema["enum"] = _drop_repeated(choices)
    elif types is not None:
        schema.setdefault("type", list(dict.fromkeys(types)))


def _list_common_fields(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the fields that each alternative requires; none where one of them may be no object."""
    if not all(part.get("type") == "object" for part in parts):
        return []
    required = [set(part.get("required", ())) for part in parts]
    return sorted(set.intersection(*required))


def _list_types(schema: Mapping[str, Any]) -> list[str] | None:
    types = schema.get("type")
    if isinstance(types, list):
        return [str(name) for name in types]
    return [types] if isinstance(types, str) else None


def _chain_lists(lists: Iterable[list[Any] | None]) -> list[Any] | None:
    """Chain lists; None when one of them is unknown."""
    chained: list[Any] = []
    for found in lists:
        if found is None:
            return None
        chained += found
    return chained


def _drop_repeated(values: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for value in values:
        if not _has_value(kept, value):
            kept.append(value)
    return kept


def _has_value(values: Iterable[Any], value: Any) -> bool:
    """Return whether a list has a value; true is not 1."""
    return any(type(value) is type(other) and value == other for other in values)
