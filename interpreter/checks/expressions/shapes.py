"""What a name can mean: scopes made of groups of names and of JSON Schemas, walked step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COMPOSED = frozenset(
    {"allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "$dynamicRef", "dependentSchemas", "propertyNames"}
)
"""Keywords beside which `properties` does not tell everything."""
_MOST_HOPS = 100


@dataclass(frozen=True, slots=True)
class Shape:
    """A JSON Schema, the document that its `$ref` count from, and what it is the schema of, in words."""

    schema: Mapping[str, Any]
    root: Mapping[str, Any]
    label: str

    def resolved(self) -> Mapping[str, Any] | None:
        """The schema behind its local references; None when they lead nowhere."""
        schema: Any = self.schema
        for _ in range(_MOST_HOPS):
            if not isinstance(schema, dict):
                return None
            if "$ref" not in schema:
                return sound(schema)
            schema = _pointed(self.root, schema["$ref"])
        return None


@dataclass(frozen=True, slots=True)
class Group:
    """Names of the language itself; `label` completes `"x" is not …`. An open one may hold others too."""

    label: str
    members: Mapping[str, Group | Shape | None]
    open: bool = False


Value = Group | Shape | None
"""The result of a part: names of the language, something with a schema, or something unknown."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The step of a path that leads nowhere: its index, what was asked, and the names there are."""

    index: int
    sentence: str
    known: Sequence[str] = field(default=())


def sound(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without keywords whose values are of the wrong kind; those are told elsewhere."""
    kept = {key: value for key, value in schema.items() if key not in _KINDS or isinstance(value, _KINDS[key])}
    return {key: value for key, value in kept.items() if not (key in _COUNTS and isinstance(value, bool))}


_COUNTS = frozenset({"minItems", "minLength", "minimum", "maximum"})
_FIELDLESS = {
    "array": "a list; its items have fields, and `length()` counts them",
    "boolean": "true or false",
    "integer": "a number",
    "number": "a number",
    "string": "a text",
}
"""What has no fields, in words."""
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "enum": list,
    "items": dict,
    "properties": dict,
    "required": list,
    "type": (str, list),
    **dict.fromkeys(_COUNTS, (int, float)),
}


def follow(scope: Group | Shape | None, path: Sequence[str]) -> Group | Shape | Missing | None:
    """What stands at the path; None when that is not known, Missing when there is nothing."""
    here: Group | Shape | Missing | None = scope
    for index, name in enumerate(path):
        here = _in_group(here, name, index) if isinstance(here, Group) else _in_shape(here, name, index)
        if here is None or isinstance(here, Missing):
            return here
    return here


def _in_group(group: Group, name: str, index: int) -> Group | Shape | Missing | None:
    if name in group.members:
        return group.members[name]
    return None if group.open else Missing(index, f'"{name}" is not {group.label}', tuple(group.members))


def _in_shape(shape: Shape | Missing | None, name: str, index: int) -> Shape | Missing | None:
    schema = shape.resolved() if isinstance(shape, Shape) else None
    if schema is None or not isinstance(shape, Shape):
        return None
    properties = schema.get("properties", {})
    label = f'"{name}" in {shape.label}'
    what = _fieldless(schema) if not name.isdigit() else ""
    if what and not _COMPOSED & set(schema):
        return Missing(index, f'there is no "{name}" in {shape.label}, which is {what}')
    if isinstance(properties, dict) and name in properties:
        inner = properties[name]
        return Shape(inner, shape.root, label) if isinstance(inner, dict) else None
    if schema.get("additionalProperties") is not False or _COMPOSED & set(schema):
        return None
    return Missing(index, f'there is no "{name}" in {shape.label}', tuple(properties))


def _fieldless(schema: Mapping[str, Any]) -> str:
    """What the value is, in words, where none of its types has fields."""
    said = schema.get("type", ())
    words = [_FIELDLESS.get(one, "") for one in ([said] if isinstance(said, str) else said) if one != "null"]
    return " or ".join(word.split(";")[0] for word in words) if len(words) > 1 and all(words) else "".join(words)


def _pointed(root: Any, reference: Any) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    here = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        here = here.get(name) if isinstance(here, dict) else None
    return here
