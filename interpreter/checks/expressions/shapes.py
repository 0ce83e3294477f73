"""Shapes of values: what schemas say of their fields; and the words for types in messages."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.view import SETTING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_COMPOSING_KEYWORDS = frozenset(
    {"allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "$dynamicRef", "dependentSchemas", "propertyNames"}
)
"""Keywords that make `properties` an incomplete list of the fields."""
_OPEN_KEYWORDS = frozenset(
    {"if", "then", "else", "patternProperties", "additionalProperties", "$dynamicRef", "dependentSchemas"}
)
"""Keywords that allow fields which no `properties` names, or that some parts only name."""
_MAX_REFERENCES = 100
_MAX_ALTERNATIVES_DEPTH = 4

TYPE_LABELS = {
    "array": "a list",
    "array-number": "a list of numbers",
    "array-string": "a list of strings",
    "boolean": "a boolean",
    "expref": "an expression after &",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
OPERATOR_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


@dataclass(frozen=True, slots=True)
class Shape:
    """A JSON Schema, the document that its `$ref` points into, and its label."""

    schema: Mapping[str, Any]
    root: Mapping[str, Any]
    label: str

    def resolve(self) -> Mapping[str, Any] | None:
        """Follow the local references of the schema; None when one leads nowhere."""
        schema: Any = self.schema
        for _ in range(_MAX_REFERENCES):
            if not isinstance(schema, dict):
                return None
            if "$ref" not in schema:
                return drop_malformed_keywords(schema)
            schema = _resolve_pointer(self.root, schema["$ref"])
        return None


@dataclass(frozen=True, slots=True)
class Namespace:
    """Names of the language; `label` completes `"x" is not …`.

    An open namespace may contain other names too.
    """

    label: str
    members: Mapping[str, Namespace | Shape | None]
    open: bool = False


InferredType = Namespace | Shape | None
"""The type of a part: names of the language, a schema, or unknown."""


@dataclass(frozen=True, slots=True)
class UnknownName:
    """The step of a path that does not resolve: index, message, known names."""

    index: int
    sentence: str
    known: Sequence[str] = field(default=())


def drop_malformed_keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Drop keywords with a value of the wrong type; another check reports those."""
    kept = dict(schema)
    for key, value in schema.items():
        if key in _KEYWORD_TYPES and _is_malformed(key, value):
            del kept[key]
    return kept


def _is_malformed(key: str, value: Any) -> bool:
    """Return whether the value of a keyword has the wrong type, or names a type that JSON lacks."""
    if key == "type" and isinstance(value, str):
        return value not in _TYPES
    if key == "type":
        names = value if isinstance(value, list) else [value]
        return not all(isinstance(name, str) and name in _TYPES for name in names)
    return not isinstance(value, _KEYWORD_TYPES[key]) or (isinstance(value, bool) and key in _COUNT_KEYWORDS)


_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_COUNT_KEYWORDS = frozenset({"minItems", "minLength", "minimum", "maximum"})
_FIELDLESS_TYPES = {
    "array": "a list; its items have fields, and `length()` counts them",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
}
"""Types without fields, in words."""
_KEYWORD_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "enum": list,
    "items": dict,
    "properties": dict,
    "required": list,
    "type": (str, list),
    **dict.fromkeys(_COUNT_KEYWORDS, (int, float)),
}


def resolve_path(scope: Namespace | Shape | None, path: Sequence[str]) -> Namespace | Shape | UnknownName | None:
    """Resolve a path; None when that is unknown, `UnknownName` when there is no such name."""
    here: Namespace | Shape | UnknownName | None = scope
    for index, name in enumerate(path):
        here = (
            _resolve_in_namespace(here, name, index)
            if isinstance(here, Namespace)
            else _resolve_in_shape(here, name, index)
        )
        if here is None or isinstance(here, UnknownName):
            return here
    return here


def _resolve_in_namespace(group: Namespace, name: str, index: int) -> Namespace | Shape | UnknownName | None:
    if name in group.members:
        return group.members[name]
    return None if group.open else UnknownName(index, f'"{name}" is not {group.label}', tuple(group.members))


def _resolve_in_shape(
    shape: Namespace | Shape | UnknownName | None, name: str, index: int, depth: int = 0
) -> Shape | UnknownName | None:
    schema = shape.resolve() if isinstance(shape, Shape) else None
    if schema is None or not isinstance(shape, Shape) or depth > _MAX_ALTERNATIVES_DEPTH:
        return None
    properties = schema.get("properties", {})
    what = _describe_fieldless(schema) if not name.isdigit() else ""
    if what and not _COMPOSING_KEYWORDS & set(schema):
        return UnknownName(index, f'there is no "{name}" in {shape.label}, which is {what}')
    if isinstance(properties, dict) and name in properties:
        inner = properties[name]
        return enter_part(shape, inner, f'"{name}" in {shape.label}') if isinstance(inner, dict) else None
    if schema.get("additionalProperties") is False and "patternProperties" not in schema:
        return UnknownName(index, f'there is no "{name}" in {shape.label}', tuple(properties))
    found = _resolve_in_parts(shape, schema, name, index, depth + 1)
    if found is None and schema.get("unevaluatedProperties") is False:
        known = _list_evaluated(shape, depth)
        if known is not None and name not in known:
            return UnknownName(index, f'there is no "{name}" in {shape.label}', tuple(known))
    return found


def _list_evaluated(shape: Shape, depth: int) -> list[str] | None:
    """List the fields that any part of a schema names; None when there may be others."""
    schema = shape.resolve()
    if schema is None or depth > _MAX_ALTERNATIVES_DEPTH or _OPEN_KEYWORDS & set(schema):
        return None
    names = list(schema.get("properties", {}))
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in _list_parts(shape, schema, keyword):
            inner = _list_evaluated(part, depth + 1)
            if inner is None:
                return None
            names += inner
    return list(dict.fromkeys(names))


def _resolve_in_parts(
    shape: Shape, schema: Mapping[str, Any], name: str, index: int, depth: int
) -> Shape | UnknownName | None:
    """Resolve a name in the parts of `allOf`, or among the alternatives of `anyOf` and `oneOf`."""
    for part in _list_parts(shape, schema, "allOf"):
        found = _resolve_in_shape(part, name, index, depth)
        if found is not None:
            return found
    parts = _list_parts(shape, schema, "anyOf") or _list_parts(shape, schema, "oneOf")
    every = [_resolve_in_shape(part, name, index, depth) for part in parts]
    # A name that one alternative may have is no mistake: the value may be that alternative.
    if not every or None in every:
        return None
    shapes = [found for found in every if isinstance(found, Shape)]
    if shapes:
        return _unite_shapes(shapes)
    known = [other for found in every if isinstance(found, UnknownName) for other in found.known]
    return UnknownName(index, f'there is no "{name}" in {shape.label}', tuple(dict.fromkeys(known)))


def _unite_shapes(shapes: Sequence[Shape]) -> Shape | None:
    """Unite the shapes of a name in several alternatives; None when they have different roots."""
    first = shapes[0]
    if len(shapes) == 1:
        return first
    united = {"anyOf": [found.schema for found in shapes]}
    # References of a united schema are looked up in one document,
    # so parts of different documents cannot be united.
    return Shape(united, first.root, first.label) if all(found.root is first.root for found in shapes) else None


def _list_parts(shape: Shape, schema: Mapping[str, Any], keyword: str) -> list[Shape]:
    parts = schema.get(keyword)
    return [enter_part(shape, part) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def enter_part(shape: Shape, part: Mapping[str, Any], label: str = "") -> Shape:
    """Enter a part of a schema; one with an `$id` is the root of its own references."""
    return Shape(part, part if "$id" in part else shape.root, label or shape.label)


def _describe_fieldless(schema: Mapping[str, Any]) -> str:
    """Describe a value none of whose types has fields."""
    declared = schema.get("type", ())
    types = [declared] if isinstance(declared, str) else declared
    if list(types) == ["null"]:
        return f"null here{_describe_setting(schema)}"
    words = [_FIELDLESS_TYPES.get(name, "") for name in types if name != "null"]
    if len(words) > 1 and all(words):
        return " or ".join(word.split(";")[0] for word in words)
    return "".join(words)


def _describe_setting(schema: Mapping[str, Any]) -> str:
    """Describe the setting that turns a field of a result on; empty without one."""
    setting = schema.get(SETTING)
    return f": the phase does not set `params: {{ {setting}: true }}`" if setting else ""


def _resolve_pointer(root: Any, reference: Any) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    here = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        here = here.get(name) if isinstance(here, dict) else None
    return here


def describe_types(types: Iterable[str]) -> str:
    """Return the labels of the types, as in `a list or a string`."""
    return " or ".join(sorted(TYPE_LABELS.get(name, name) for name in types))


def format_literal(value: Any) -> str:
    """Write the value as an expression does: strings in single quotes, all else in backticks."""
    if isinstance(value, str):
        return f"'{value}'"
    return f"`{json.dumps(value, ensure_ascii=False)}`"
