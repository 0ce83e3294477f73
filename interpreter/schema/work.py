"""Work of a validation, bounded before it begins: the comparisons of a value with a schema.

`allOf` of two references to the next definition, 25 times in a row, compares one value 33 million times. The library
holds the interpreter meanwhile, and cannot be stopped.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from aurora.faults import check_cancelled

from .validator import create_resolver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jsonschema_rs import Resolver

    from .json_values import Steps

MAX_VISITS = 10_000
"""Comparisons of one value with a schema and its subschemas, those for its parts left out."""


MAX_WORK = 5_000_000
"""Comparisons of a value and all its parts: some 0.3 s."""


MAX_REPORTED_WORK = 10_000
"""Comparisons of which all errors are collected: some 0.4 s when each is an error."""


_MAX_STEPS = 500_000
"""Subschemas that are looked at to count the comparisons of a schema."""

_MAX_LEVELS = 64
"""Levels of a value for which the comparisons are counted; deeper ones count as the last."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work of a schema.

    Attributes:
        visits: comparisons of one value, by its depth in the validated one; of deeper ones the last.
        most: the largest number of comparisons of a value with one subschema.
        has_branches: whether an error of it contains those of its branches.
    """

    visits: tuple[int, ...]
    most: int
    has_branches: bool

    def measure(self, value: Any, limit: int) -> int:
        """Count the comparisons of a value; the count ends soon after `limit`."""
        total = 0
        level = [value]
        depth = 0
        while level and total <= limit:
            check_cancelled()
            total += len(level) * self.visits[min(depth, len(self.visits) - 1)]
            level = list(_list_parts(level, limit))
            depth += 1
        return total


@lru_cache(maxsize=512)
def measure_schema(text: str) -> Work:
    """Count the comparisons of a schema, given as JSON text.

    Raises:
        ValueError: a reference of the schema leads nowhere.
    """
    first, nodes = read_graph(json.loads(text))
    order = _sort_nodes(nodes)
    weights: dict[Key, int] = {}
    for key in reversed(order):
        weights[key] = nodes[key].weight + sum(weights.get(inner, 0) for inner in nodes[key].same)
    has_branches = '"anyOf"' in text or '"oneOf"' in text
    counter = _Counter(nodes, order)
    visits = tuple(counter.count_levels(first))
    most = max(weights.values()) if counter.steps <= _MAX_STEPS else MAX_WORK
    return Work(visits, most, has_branches)


def is_obviously_small(text: str, size: int) -> bool:
    """Check without reading the schema that its work is within the limits.

    Without references a subschema is compared once with each part of the value.

    Args:
        text: the schema.
        size: a number that is at least that of the value's parts.
    """
    return 'Ref"' not in text and '"$ref"' not in text and (text.count("{") + text.count(",") + 1) * size <= MAX_WORK


def _list_parts(values: list[Any], limit: int) -> Iterator[Any]:
    """Yield the parts of values; not many more than `limit`, because parts can be shared."""
    count = 0
    for value in values:
        if isinstance(value, dict | list | tuple):
            count += len(value)
            if count > limit:
                yield from [None] * (limit + 1)
                return
            yield from value.values() if isinstance(value, dict) else value


def _sort_nodes(nodes: Mapping[Key, Node]) -> list[Key]:
    """Sort the subschemas, so that each is before those that it applies to the same value."""
    done: set[Key] = set()
    ended: list[Key] = []
    for start in nodes:
        todo = [(start, False)]
        while todo:
            key, is_end = todo.pop()
            if is_end:
                ended.append(key)
            elif key not in done:
                done.add(key)
                todo.append((key, True))
                todo.extend((inner, False) for inner in nodes[key].same)
    return ended[::-1]


class _Counter:
    """Counts of the comparisons of one value, from level to level.

    Attributes:
        steps: subschemas that were looked at; a schema that needs too many is refused.
    """

    def __init__(self, nodes: Mapping[Key, Node], order: list[Key]) -> None:
        self._nodes = nodes
        self._positions = {key: index for index, key in enumerate(order)}
        self._order = order
        self.steps = 0

    def count_levels(self, first: Key) -> Iterator[int]:
        """Yield the comparisons of one value at each depth, until they repeat or exceed the limit."""
        visited = self._expand(Counter([first]))
        seen: list[Counter[Key]] = []
        while visited and visited not in seen and len(seen) < _MAX_LEVELS:
            check_cancelled()
            total = sum(count * self._nodes[key].weight for key, count in visited.items())
            yield total if self.steps <= _MAX_STEPS else MAX_WORK + 1
            if total > MAX_WORK or self.steps > _MAX_STEPS:
                return
            seen.append(visited)
            visited = self._count_parts(visited)
        if not visited:
            yield 1  # any other part is looked at, and not compared

    def _count_parts(self, visited: Counter[Key]) -> Counter[Key]:
        """Count the subschemas that a part of a value is compared with, at most."""
        items: Counter[Key] = Counter()
        keys: Counter[Key] = Counter()
        named: dict[str | int, Counter[Key]] = {}
        for key, count in visited.items():
            node = self._nodes[key]
            if not node.list_parts():
                continue
            for_items, for_keys = node.count_for_other(is_item=True), node.count_for_other(is_item=False)
            _add_times(items, for_items, count)
            _add_times(keys, for_keys, count)
            for name in node.named:
                change = node.count_for_name(name)
                change.subtract(for_items if isinstance(name, int) else for_keys)
                _add_times(named.setdefault(name, Counter()), change, count)
        most = self._expand(items) | self._expand(keys)
        for name, change in named.items():
            change.update(items if isinstance(name, int) else keys)
            for key, count in self._expand(change).items():
                most[key] = max(most[key], count)
        return most

    def _expand(self, counts: Counter[Key]) -> Counter[Key]:
        """Add the subschemas for the same value, those that apply others first."""
        found = +counts
        waiting = [self._positions[key] for key in found]
        heapify(waiting)
        while waiting and self.steps <= _MAX_STEPS:
            key = self._order[heappop(waiting)]
            self.steps += 1 + len(self._nodes[key].same)
            for inner in self._nodes[key].same:
                if inner not in found:
                    heappush(waiting, self._positions[inner])
                found[inner] += found[key]
        return found


def _add_times(target: Counter[Key], change: Counter[Key], times: int) -> None:
    for key, count in change.items():
        target[key] += count * times


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
