"""Types of the values that a template's expressions make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import Shape, infer_item, infer_json_types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.expressions import Namespace

OWN = "x-own"
"""The key of a schema that marks a list or object of the template itself, which none of its methods changes."""
_LITERAL_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    type(None): "null",
}


def build_value(label: str, *types: str, **keywords: Any) -> Shape:
    """Build a shape of these types, with further keywords of its schema."""
    return Shape({"type": types[0] if len(types) == 1 else list(types), **keywords}, {}, label)


def build_literal(value: Any) -> Shape:
    """Build the shape of a text, number, boolean or `none` that is written in the template."""
    label = "none" if value is None else f'"{value}"' if isinstance(value, str) else str(value)
    return build_value(label, _LITERAL_TYPES[type(value)], const=value)


def build_list(label: str, item: Namespace | Shape | None) -> Shape:
    """Build the shape of a list of such items, made by the template."""
    if not isinstance(item, Shape):
        return build_value(label, "array", **{OWN: True})
    return Shape({"type": "array", "items": item.schema, OWN: True}, item.root, label)


def mark_own(value: Namespace | Shape | None) -> Namespace | Shape | None:
    """Mark a copy that a filter made as the template's own."""
    return Shape({**value.schema, OWN: True}, value.root, value.label) if isinstance(value, Shape) else value


def list_types(value: Namespace | Shape | None) -> frozenset[str]:
    """List the JSON types of a value but `null`; none when unknown."""
    return infer_json_types(value) - {"null"}


def infer_iterated(value: Namespace | Shape | None) -> Shape | None:
    """Infer what a loop over the value gives: items of a list, keys of an object, characters of a text."""
    types = list_types(value)
    if types == {"array"}:
        return infer_item(value)
    if types in ({"object"}, {"string"}) and isinstance(value, Shape):
        part = "key" if types == {"object"} else "character"
        return build_value(f"a {part} of {value.label}", "string")
    return None


def infer_subscript(value: Namespace | Shape | None) -> Shape | None:
    """Infer what a number in square brackets takes: an item of a list, a character of a text."""
    return infer_item(value) if list_types(value) != {"string"} else infer_iterated(value)


def unite_values(left: Namespace | Shape | None, right: Namespace | Shape | None) -> Namespace | Shape | None:
    """Unite the values of two branches; unknown when one of them is."""
    if left == right:
        return left
    if not isinstance(left, Shape) or not isinstance(right, Shape):
        return None
    types = infer_json_types(left) | infer_json_types(right)
    if not infer_json_types(left) or not infer_json_types(right):
        return None
    if left.root is right.root or not left.root or not right.root:
        schema = {"anyOf": [left.schema, right.schema]}
        return Shape(schema, left.root or right.root, left.label)
    return build_value(left.label, *sorted(types))
