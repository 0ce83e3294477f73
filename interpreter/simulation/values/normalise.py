"""Normalisation of JSON Schemas for generation: inlined references, merged schemas."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.shapes import Shape
from aurora.interpreter.expressions.meter import charge_work

if TYPE_CHECKING:
    from collections.abc import Callable

Schema = dict[str, Any]

MAX_DEPTH = 12
"""The deepest nesting of a schema; below it, nothing fits."""
MAX_SCHEMAS = 5_000
"""The most schemas that a schema may grow to; a hostile one doubles at each reference."""

NOTHING_FITS: Schema = {"not": {}}
"""The replacement of omitted schemas: no value is generated for them."""

_LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_MAPS = ("properties", "patternProperties", "dependentSchemas")
_SINGLE_SCHEMAS = ("items", "contains", "additionalProperties", "not", "if", "then", "else", "propertyNames")


def inline_references(schema: Any) -> Schema:
    """Replace each `$ref` by the schema that it refers to, down to a limit."""
    if schema is False:
        return NOTHING_FITS
    if not isinstance(schema, dict):
        return {}
    inliner = _ReferenceInliner(schema)
    inlined: Schema = inliner.inline(schema, 0)
    charge_work(_INLINING_WORK * inliner.count)
    return inlined


_INLINING_WORK = 5
"""Work of inlining a schema without those inside it, in steps of an evaluation."""


class _ReferenceInliner:
    """The state of inlining one schema."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._budget = MAX_SCHEMAS
        self._open_references: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """The number of schemas that were inlined."""
        return MAX_SCHEMAS - self._budget

    def inline(self, schema: Any, depth: int) -> Any:
        self._budget -= 1
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        if depth > MAX_DEPTH or self._budget < 0:
            return NOTHING_FITS
        if "$ref" in schema:
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            inner = self._resolve_reference(str(schema["$ref"]), depth)
            return merge_schemas(inner, self.inline(beside, depth)) if beside else inner
        plain = {key: value for key, value in schema.items() if key not in ("$defs", "definitions", "$id", "$schema")}
        for key in (*_SCHEMA_LISTS, *_SCHEMA_MAPS, *_SINGLE_SCHEMAS):
            if key in plain:
                plain[key] = self._inline_keyword(key, plain[key], depth + 1)
        return plain

    def _inline_keyword(self, key: str, value: Any, depth: int) -> Any:
        """Inline the schemas that are the value of a keyword; leave a malformed value."""
        if key in _SCHEMA_LISTS and isinstance(value, list):
            return [self.inline(schema, depth) for schema in value]
        if key in _SCHEMA_MAPS and isinstance(value, dict):
            return {name: self.inline(schema, depth) for name, schema in value.items()}
        if key in _SINGLE_SCHEMAS and isinstance(value, dict):
            return self.inline(value, depth)
        return value

    def _resolve_reference(self, reference: str, depth: int) -> Any:
        """Resolve a reference; a schema inside itself is cut at its second level."""
        found = Shape({"$ref": reference}, self._root, "").resolve()
        if self._open_references[reference] > 1 or found is None:
            return NOTHING_FITS
        self._open_references[reference] += 1
        inner = self.inline(dict(found), depth + 1)
        self._open_references[reference] -= 1
        return inner


def merge_schemas(one: Any, other: Any) -> Any:
    """Merge two schemas into one for values that fit both; callers check the values."""
    if one is False or other is False:
        return False
    if not isinstance(one, dict) or not one:
        return other
    if not isinstance(other, dict) or not other:
        return one
    both = {**one, **other}
    for key in one.keys() & other.keys():
        both[key] = _merge_keyword(key, one[key], other[key])
    conflicts = [key for key in _EXCLUSIVE_KEYWORDS if key in one and key in other and one[key] != other[key]]
    both |= {key: one[key] for key in conflicts}
    both["allOf"] = [
        *one.get("allOf", ()),
        *other.get("allOf", ()),
        *(_select_keyword(key, other) for key in conflicts),
    ]
    return both if both["allOf"] else {key: value for key, value in both.items() if key != "allOf"}


_EXCLUSIVE_KEYWORDS = ("anyOf", "oneOf", "not", "if")
"""Keywords that cannot be merged: a second one goes into `allOf`."""


def _select_keyword(key: str, schema: Schema) -> Schema:
    """Return a schema of the keyword and those that belong to it."""
    group = ("if", "then", "else") if key == "if" else (key,)
    return {name: schema[name] for name in group if name in schema}


def _merge_keyword(key: str, one: Any, other: Any) -> Any:
    if key in _MERGERS:
        return _MERGERS[key](one, other)
    if key in _SCHEMA_MAPS:
        names = dict.fromkeys([*one, *other])
        return {name: merge_schemas(one.get(name, {}), other.get(name, {})) for name in names}
    return merge_schemas(one, other) if key in _SINGLE_SCHEMAS else one


def _intersect_types(one: Any, other: Any) -> Any:
    """Intersect two `type` values; an integer is a number."""
    left, right = ([said] if isinstance(said, str) else list(said) for said in (one, other))
    common = [kind for kind in left if kind in right]
    if "integer" not in common and {"integer", "number"} <= {*left, *right}:
        common.append("integer")
    return common[0] if len(common) == 1 else common


def _unite_lists(one: list[Any], other: list[Any]) -> list[Any]:
    return list(dict.fromkeys([*one, *other]))


def _intersect_lists(one: list[Any], other: list[Any]) -> list[Any]:
    """Intersect two lists; texts, of which long lists are, by their hash."""
    texts = {choice for choice in other if isinstance(choice, str)}
    rest = [choice for choice in other if not isinstance(choice, str)]
    return [choice for choice in one if (choice in texts if isinstance(choice, str) else choice in rest)]


_MERGERS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(_LOWER_BOUNDS, max),
    **dict.fromkeys(_UPPER_BOUNDS, min),
    "required": _unite_lists,
    "enum": _intersect_lists,
    "type": _intersect_types,
}
