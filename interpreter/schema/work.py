"""Work of a validation, bounded before it begins: the comparisons of a value with a schema.

`allOf` of two references to the next definition, 25 times in a row, compares one value 33 million times. The library
holds the interpreter meanwhile, and cannot be stopped. Ordinary schemas are bounded by their size with all references
put in; one that refers to itself, or is large, is walked with the value, and each comparison is counted.
"""

from __future__ import annotations

import json
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

from aurora.errors import check_cancelled

from .validator import create_resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema_rs import Resolver

MAX_VISITS = 10_000
"""Comparisons of one value with a schema and its subschemas, those for its parts left out."""
MAX_WORK = 5_000_000
"""Comparisons of a value and all its parts, as the schema's size bounds them: some 0.3 s."""
MAX_COUNTED = 500_000
"""The same where they are counted one by one: some 2 s, in which other calls are answered."""
MAX_REPORTED_WORK = 10_000
"""Comparisons of which all errors are collected: some 0.4 s when each is an error."""

REFERENCES = ("$ref", "$dynamicRef")
_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""Keywords whose schemas apply to the same value, and not to a part of it."""
_KEYS = ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames")
_ITEMS = ("prefixItems", "items", "unevaluatedItems", "contains")
_NAMED = frozenset({"dependentSchemas", "properties", "patternProperties"})
_WEIGHED = frozenset({"enum", "const", "patternProperties"})
_CHARGED_VALUES = 4
"""Values of an `enum` whose comparison takes as long as to visit a subschema."""


class LoopError(ValueError):
    """A reference that leads back to itself for the same value."""


def bound_work(value: Any, text: str, size: int) -> int:
    """Bound the comparisons of a value with a schema; more than `MAX_WORK` is only known to be more.

    Args:
        value: the value.
        text: the schema, as JSON text.
        size: a number that is at least that of the value's parts.
    """
    if not any(
        word in text for word in ('Ref"', '"$ref"', '"unevaluated')
    ):  # a subschema is compared once with each part of the value
        bound = (text.count("{") + text.count(",") + 1) * size
        if bound <= MAX_WORK:
            return bound
    parts, most = _count_parts(value, MAX_WORK), _measure_expanded(text)
    if parts * most <= MAX_WORK:
        return int(parts * most)
    counted = count_comparisons(value, text, MAX_COUNTED)
    return counted if counted <= MAX_COUNTED else MAX_WORK + 1


def count_comparisons(value: Any, text: str, limit: int) -> int:
    """Count the comparisons of a value with a schema; the count ends soon after `limit`."""
    schema = json.loads(text)
    references = _References(schema)
    todo: list[tuple[Resolver, Any, Any]] = [(references.root, schema, value)]
    total = 0
    while todo and total + len(todo) <= limit:
        resolver, current, part = todo.pop()
        check_cancelled()
        total += _weigh_keywords(current)
        if isinstance(current, dict):
            resolver = references.enter(resolver, current)
            times = _count_repeats(current)
            todo += [(resolver, inner, part) for inner in _list_inner(current, _SAME_VALUE)] * times
            todo += [(*references.follow(resolver, one), part) for one in _list_references(current)] * times
            for inner, schemas in _list_parts(part, current):
                total += 1
                if total + len(todo) > limit:
                    break
                todo += [(resolver, one, inner) for one in schemas] * times
    return total + len(todo)


def weigh_references(schema: Any) -> float:
    """Return the most comparisons of one value with a subschema that a reference leads to.

    Raises:
        LoopError: a reference leads back to itself for the same value.
    """
    references = _References(schema)
    scale = _Scale(references, _SAME_VALUE)
    todo = [(references.root, schema)]
    most: float = 0
    while todo:
        resolver, current = todo.pop()
        if isinstance(current, dict):
            resolver = references.enter(resolver, current)
            most = max(most, *(scale.weigh_target(resolver, one) for one in _list_references(current)), 0)
            todo += ((resolver, inner) for inner in _list_inner(current, (*_SAME_VALUE, *_KEYS, *_ITEMS, "$defs")))
    return max(most, scale.weigh(references.root, schema))


@lru_cache(maxsize=512)
def _measure_expanded(text: str) -> float:
    """Count the subschemas of a schema with its references put in; infinite if it refers to itself."""
    schema = json.loads(text)
    try:
        references = _References(schema)
        return _Scale(references, (*_SAME_VALUE, *_KEYS, *_ITEMS)).weigh(references.root, schema)
    except LoopError:
        return inf


class _References:
    """Targets of the references of a schema, each looked up once.

    Attributes:
        root: the resolver of the schema itself.
    """

    def __init__(self, schema: Any) -> None:
        self.root = create_resolver(schema)
        self._found: dict[tuple[str, str], tuple[Resolver, Any]] = {}

    def follow(self, resolver: Resolver, reference: str) -> tuple[Resolver, Any]:
        """Return the target of a reference, with the resolver for what is in it."""
        key = resolver.base_uri, reference
        if key not in self._found:
            check_cancelled()
            found = resolver.lookup(reference)
            # from the root, because a resolver that was reached through many others is slow
            base = (
                self.root
                if found.resolver.base_uri == self.root.base_uri
                else self.root.lookup(found.resolver.base_uri).resolver
            )
            self._found[key] = base, found.contents
        return self._found[key]

    def enter(self, resolver: Resolver, schema: dict[str, Any]) -> Resolver:
        """Return the resolver for what is in a schema; its `$id` changes the base."""
        own = schema.get("$id")
        return self.follow(resolver, own)[0] if isinstance(own, str) else resolver


class _Scale:
    """Weights of schemas over some of their keywords; each target of a reference is weighed once.

    Args:
        references: the targets.
        keywords: the keywords whose schemas count.
    """

    def __init__(self, references: _References, keywords: tuple[str, ...]) -> None:
        self._references = references
        self._keywords = keywords
        self._targets: dict[tuple[str, str], float] = {}
        self._open: set[tuple[str, str]] = set()

    def weigh(self, resolver: Resolver, schema: Any) -> float:
        """Return the comparisons of one value with a schema, with those of the keywords.

        Raises:
            LoopError: a reference leads back to itself.
        """
        if not isinstance(schema, dict):
            return 1
        resolver = self._references.enter(resolver, schema)
        inner = sum(self.weigh(resolver, one) for one in _list_inner(schema, self._keywords))
        targets = sum(self.weigh_target(resolver, reference) for reference in _list_references(schema))
        return _weigh_keywords(schema) + _count_repeats(schema) * (inner + targets)

    def weigh_target(self, resolver: Resolver, reference: str) -> float:
        """Return the same of the target of a reference."""
        inside, target = self._references.follow(resolver, reference)
        key = inside.base_uri, reference
        if key in self._open:
            raise LoopError(reference)
        if key not in self._targets:
            self._open.add(key)
            try:
                self._targets[key] = self.weigh(inside, target)
            except RecursionError:  # hundreds of references in a row
                self._targets[key] = inf
            self._open.discard(key)
        return self._targets[key]


def _list_references(schema: dict[str, Any]) -> list[str]:
    return [schema[name] for name in REFERENCES if isinstance(schema.get(name), str)]


def _list_inner(schema: dict[str, Any], keywords: tuple[str, ...]) -> Iterator[Any]:
    """Yield the schemas in some keywords: one, a list of them, or one for each name."""
    for name in keywords:
        if name in schema:
            value = schema[name]
            if isinstance(value, list):
                yield from value
            elif (name in _NAMED or name == "$defs") and isinstance(value, dict):
                yield from value.values()
            else:
                yield value


def _list_parts(value: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the parts of a value, each with the schemas that may apply to it."""
    if isinstance(value, dict) and any(name in schema for name in _KEYS):
        always = list(_list_inner(schema, ("patternProperties", "propertyNames")))
        other = [*always, *_list_inner(schema, ("additionalProperties", "unevaluatedProperties"))]
        named = schema.get("properties", {})
        for key, part in value.items():
            yield part, [named[key], *always] if key in named else other
    elif isinstance(value, list | tuple) and any(name in schema for name in _ITEMS):
        always = list(_list_inner(schema, ("contains",)))
        other = [*always, *_list_inner(schema, ("items", "unevaluatedItems"))]
        first = schema.get("prefixItems", [])
        for index, part in enumerate(value):
            yield part, [first[index], *always] if index < len(first) else other


def _weigh_keywords(schema: Any) -> int:
    """Weigh the keywords that compare the value with several others; 1 without any."""
    if not isinstance(schema, dict) or schema.keys().isdisjoint(_WEIGHED):
        return 1
    compared = _count_parts((schema.get("enum"), schema.get("const")), MAX_WORK)
    return 1 + compared // _CHARGED_VALUES + len(schema.get("patternProperties", ()))


def _count_repeats(schema: dict[str, Any]) -> int:
    """Count how often the library applies what is in a schema.

    It does so again to find what nothing has evaluated: sixteen schemas inside each other, each with
    `unevaluatedProperties`, took 3 s.
    """
    return 1 + 2 * sum(name in schema for name in ("unevaluatedProperties", "unevaluatedItems"))


def _count_parts(value: Any, limit: float) -> int:
    """Count the parts of a value; the count ends soon after `limit`, because parts can be shared."""
    count = 1
    todo = [value]
    while todo and count <= limit:
        current = todo.pop()
        if isinstance(current, dict | list | tuple):
            count += len(current)
            if count <= limit:
                todo += current.values() if isinstance(current, dict) else current
    return count
