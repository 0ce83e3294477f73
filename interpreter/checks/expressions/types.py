"""Of what type a value is, as far as its schema tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .shapes import Group

_OF_PYTHON: Mapping[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
_NAMES = frozenset({*_OF_PYTHON.values(), "expref"})
_DEEPEST = 8


def kinds(value: Group | Shape | None, depth: int = 0) -> frozenset[str]:
    """The JSON types it may have, whole numbers as `number`; none when that is not known."""
    schema = value.resolved() if isinstance(value, Shape) else None
    if schema is None or not isinstance(value, Shape) or depth > _DEEPEST:
        return frozenset()
    if "const" in schema:
        return frozenset({kind_of(schema["const"])})
    if schema.get("enum"):
        return frozenset(kind_of(one) for one in schema["enum"])
    said = schema.get("type")
    if said:
        names = frozenset(
            "number" if one == "integer" else str(one) for one in ([said] if isinstance(said, str) else said)
        )
        return names if names <= _NAMES else frozenset()
    several = schema.get("anyOf") or schema.get("oneOf") or ()
    parts = [
        kinds(Shape(one, value.root, value.label), depth + 1) if isinstance(one, dict) else frozenset()
        for one in several
    ]
    return frozenset().union(*parts) if parts and all(parts) else frozenset()


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    return _OF_PYTHON.get(type(value), "object")


def typed(*names: str) -> Shape:
    """Something of which only the type is known, or the types that it may have."""
    schema = {"type": names[0] if len(names) == 1 else list(names)}
    return Shape(schema, schema, "what it gives")


def of_literal(value: Any) -> Shape:
    """What a literal gives."""
    schema = {"const": value}
    return Shape(schema, schema, "the literal")


def elements(value: Group | Shape | None) -> Shape | None:
    """An item of the list."""
    schema = value.resolved() if isinstance(value, Shape) else None
    if schema is None or not isinstance(value, Shape) or "prefixItems" in schema:
        return None
    inner = schema.get("items")
    return Shape(inner, value.root, f"an item of {value.label}") if isinstance(inner, dict) else None


def list_of(value: Group | Shape | None) -> Shape:
    """A list of such items."""
    if not isinstance(value, Shape):
        return typed("array")
    return Shape({"type": "array", "items": value.schema}, value.root, "the list")


def flattened(value: Group | Shape | None) -> Shape | None:
    """The list with the lists in it opened; known where its items are surely lists, or surely none."""
    inner = kinds(elements(value))
    if not isinstance(value, Shape) or not inner:
        return typed("array")
    if inner == {"array"}:
        return list_of(elements(elements(value)))
    return value if "array" not in inner else typed("array")
