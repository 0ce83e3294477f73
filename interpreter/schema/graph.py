"""Graph of a JSON Schema: its subschemas, for the same value or for a part of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled

from .validator import create_resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema_rs import Resolver

    from .json_values import Steps

Key = tuple[str, str, tuple[str | int, ...]]
"""A subschema: the base URI, the reference that leads to it, and the path from there."""

SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
"""Keywords whose schemas apply to the same value, and not to a part of it."""
_REFERENCES = ("$ref", "$dynamicRef")
_CHARGED_VALUES = 4
"""Values of an `enum` whose comparison takes as long as to visit a subschema."""


@dataclass(slots=True)
class Node:
    """One subschema, by the subschemas that it applies; each list can contain one twice.

    Attributes:
        weight: the work of its own keywords, 1 for a usual one.
        same: those for the same value.
        named: those for one key of an object or one index of an array.
        any_key: those for any key, by their patterns.
        other_key: the one for the keys that nothing else covers.
        any_item: those for any item.
        other_item: the one for the items that nothing else covers.
    """

    weight: int
    same: list[Key] = field(default_factory=list)
    named: dict[str | int, Key] = field(default_factory=dict)
    any_key: list[Key] = field(default_factory=list)
    other_key: list[Key] = field(default_factory=list)
    any_item: list[Key] = field(default_factory=list)
    other_item: list[Key] = field(default_factory=list)

    def list_parts(self) -> list[Key]:
        """List the subschemas for parts of the value."""
        return [*self.named.values(), *self.any_key, *self.other_key, *self.any_item, *self.other_item]

    def count_for_other(self, *, is_item: bool) -> Counter[Key]:
        """Count the subschemas for an item, or for a key, that has no name in this schema."""
        one, other = (self.any_item, self.other_item) if is_item else (self.any_key, self.other_key)
        if not one or not other:
            return Counter(one or other)
        return Counter(one) + Counter(other) if is_item else Counter(one) | Counter(other)

    def count_for_name(self, name: str | int) -> Counter[Key]:
        """Count the subschemas for a key or index that has a name in this schema."""
        return Counter([self.named[name], *(self.any_item if isinstance(name, int) else self.any_key)])


def read_graph(schema: Any) -> tuple[Key, dict[Key, Node]]:
    """Read all subschemas that a validation can reach.

    Returns:
        The key of the schema itself, and the nodes by their keys.

    Raises:
        ValueError: an address in the schema is not a URI, or leads out of the schema.
    """
    return _Reader(create_resolver(schema)).read(schema)


class _Reader:
    """Walk over the subschemas; a reference is followed once."""

    def __init__(self, resolver: Resolver) -> None:
        self._root = resolver
        self._nodes: dict[Key, Node] = {}
        self._todo: list[tuple[Key, Resolver, Any]] = []

    def read(self, schema: Any) -> tuple[Key, dict[Key, Node]]:
        """Read from the schema itself."""
        first: Key = (self._root.base_uri, "#", ())
        self._todo.append((first, self._root, schema))
        while self._todo:
            check_cancelled()
            key, resolver, current = self._todo.pop()
            if key not in self._nodes:
                self._nodes[key] = self._read_node(key, resolver, current)
        return first, self._nodes

    def _read_node(self, key: Key, resolver: Resolver, schema: Any) -> Node:
        if not isinstance(schema, dict):
            return Node(1)
        if isinstance(schema.get("$id"), str) and key[2]:
            resolver = resolver.lookup(schema["$id"]).resolver
        node = Node(_weigh_keywords(schema))
        node.same = [self._follow(resolver, schema[name]) for name in _REFERENCES if isinstance(schema.get(name), str)]
        node.same += self._add_all(key, resolver, schema, (*SAME_VALUE, "dependentSchemas"))
        for name in schema.get("properties", {}):
            node.named[name] = self._add(key, resolver, schema, ("properties", name))
        for index in range(len(schema.get("prefixItems", []))):
            node.named[index] = self._add(key, resolver, schema, ("prefixItems", index))
        node.any_key = self._add_all(key, resolver, schema, ("patternProperties", "propertyNames"))
        node.other_key = self._add_all(key, resolver, schema, ("additionalProperties", "unevaluatedProperties"))
        node.any_item = self._add_all(key, resolver, schema, ("contains",))
        node.other_item = self._add_all(key, resolver, schema, ("items", "unevaluatedItems"))
        return node

    def _follow(self, resolver: Resolver, reference: str) -> Key:
        found = resolver.lookup(reference)
        is_root = reference == "#" and found.resolver.base_uri == self._root.base_uri
        key: Key = (found.resolver.base_uri, "#" if is_root else reference, ())
        self._todo.append((key, found.resolver, found.contents))
        return key

    def _add_all(self, key: Key, resolver: Resolver, schema: dict[str, Any], names: tuple[str, ...]) -> list[Key]:
        return [
            self._add(key, resolver, schema, steps)
            for name in names
            if name in schema
            for steps in _list_schemas(name, schema[name])
        ]

    def _add(self, key: Key, resolver: Resolver, schema: Any, steps: Steps) -> Key:
        for step in steps:
            schema = schema[step]
        inner: Key = (resolver.base_uri, key[1], (*key[2], *steps))
        self._todo.append((inner, resolver, schema))
        return inner


def _list_schemas(name: str, value: Any) -> Iterator[Steps]:
    """Yield the paths of the schemas in a keyword: one, a list of them, or one for each name."""
    if isinstance(value, list):
        yield from ((name, index) for index in range(len(value)))
    elif name in ("dependentSchemas", "patternProperties"):
        yield from ((name, key) for key in value)
    else:
        yield (name,)


def _weigh_keywords(schema: dict[str, Any]) -> int:
    """Weigh the keywords that compare the value with several others."""
    compared = _count_values(schema.get("enum", [])) + _count_values(schema.get("const"))
    return 1 + compared // _CHARGED_VALUES + len(schema.get("patternProperties", {}))


def _count_values(value: Any) -> int:
    count = 0
    todo = [value]
    while todo:
        current = todo.pop()
        if isinstance(current, dict | list):
            count += len(current)
            todo.extend(current.values() if isinstance(current, dict) else current)
    return count
