"""JSON Schemas made plain for whoever must invent a value: references put in place, several made one."""

from __future__ import annotations

from collections import Counter
from typing import Any

from aurora.interpreter.checks.expressions.shapes import Shape

Schema = dict[str, Any]

DEEPEST = 12
"""How often a schema may stand inside itself before what is inside is left open."""
LARGEST = 5_000
"""How many schemas a schema may grow to; a hostile one doubles with every reference."""

NOTHING_FITS: Schema = {"not": {}}
"""What stands for what is left out, so that no value is made that the whole schema would refuse."""

_HIGHEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_LOWEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_ONE = ("items", "contains", "additionalProperties", "not", "if", "then", "else", "propertyNames")


def inlined(schema: Any) -> Schema:
    """The schema without `$ref`: what a reference leads to stands in its place, as deep as anybody will look."""
    if schema is False:
        return NOTHING_FITS
    return _Inlining(schema).of(schema, 0) if isinstance(schema, dict) else {}


class _Inlining:
    """One schema on its way to having no references."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = LARGEST
        self._open: Counter[str] = Counter()

    def of(self, schema: Any, depth: int) -> Any:
        self._left -= 1
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else {}
        if depth > DEEPEST or self._left < 0:
            return NOTHING_FITS
        if "$ref" in schema:
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            inner = self._referred(str(schema["$ref"]), depth)
            return merged(inner, self.of(beside, depth)) if beside else inner
        plain = {key: value for key, value in schema.items() if key not in ("$defs", "definitions", "$id", "$schema")}
        for key in _LISTS:
            if isinstance(plain.get(key), list):
                plain[key] = [self.of(one, depth + 1) for one in plain[key]]
        for key in _MAPS:
            if isinstance(plain.get(key), dict):
                plain[key] = {name: self.of(one, depth + 1) for name, one in plain[key].items()}
        for key in _ONE:
            if isinstance(plain.get(key), dict):
                plain[key] = self.of(plain[key], depth + 1)
        return plain

    def _referred(self, reference: str, depth: int) -> Any:
        """What the reference leads to; where that holds itself, what is inside it for the second time is left out."""
        found = Shape({"$ref": reference}, self._root, "").resolved()
        if self._open[reference] > 1 or found is None:
            return NOTHING_FITS
        self._open[reference] += 1
        inner = self.of(dict(found), depth + 1)
        self._open[reference] -= 1
        return inner


def merged(one: Any, other: Any) -> Any:
    """A schema for what fits both, as far as inventing a value needs; the value is checked against both anyway."""
    if one is False or other is False:
        return False
    if not isinstance(one, dict) or not one:
        return other
    if not isinstance(other, dict) or not other:
        return one
    both = {**one, **other}
    for key in one.keys() & other.keys():
        both[key] = _both(key, one[key], other[key])
    both["allOf"] = [*one.get("allOf", ()), *other.get("allOf", ())]
    for key in ("anyOf", "oneOf", "not", "if"):  # two of a kind are asked for one after the other
        if key in one and key in other and one[key] != other[key]:
            both[key] = one[key]
            beside = ("if", "then", "else") if key == "if" else (key,)
            both["allOf"] = [*both["allOf"], {name: other[name] for name in beside if name in other}]
    return both if both["allOf"] else {key: value for key, value in both.items() if key != "allOf"}


def _both(key: str, one: Any, other: Any) -> Any:  # noqa: PLR0911 - one for each kind of keyword
    if key in _HIGHEST:
        return max(one, other)
    if key in _LOWEST:
        return min(one, other)
    if key == "required":
        return list(dict.fromkeys([*one, *other]))
    if key == "enum":
        return [choice for choice in one if choice in other]
    if key == "type":
        return _types(one, other)
    if key in _MAPS:
        names = dict.fromkeys([*one, *other])
        return {name: merged(one.get(name, {}), other.get(name, {})) for name in names}
    return merged(one, other) if key in _ONE else one


def _types(one: Any, other: Any) -> Any:
    """What both allow; a whole number is a number."""
    left, right = ([said] if isinstance(said, str) else list(said) for said in (one, other))
    common = [kind for kind in left if kind in right]
    if "integer" not in common and {"integer", "number"} <= {*left, *right}:
        common.append("integer")
    return common[0] if len(common) == 1 else common
