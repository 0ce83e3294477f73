"""Whether some rule always holds: the rules are tried on every kind of value that they could tell apart."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING, Any

from .tree import field_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .sites import Site
    from .tree import Tree

MOST_CASES = 4096
"""Combinations that are tried; rules that look at more are given the benefit of the doubt."""

_OTHER = "some other text"
_BOOLEAN_FUNCTIONS = frozenset({"contains", "ends_with", "starts_with"})
_LOGIC = frozenset({"and_expression", "or_expression", "not_expression"})


@dataclass(slots=True)
class _Seen:
    """One thing that rules look at, and the literals that it is compared with."""

    tree: Tree
    literals: list[Any] = field(default_factory=list)


def gap(rules: Sequence[tuple[Site, Tree]]) -> str | None:
    """When no rule holds, in words; an empty text when that cannot be told shortly; None when one always does."""
    seen: dict[str, _Seen] = {}
    for _, tree in rules:
        _look(tree, seen)
    site = rules[0][0]
    domains = {key: _domain(site, one) for key, one in seen.items()}
    if prod(len(domain) for domain in domains.values()) > MOST_CASES:
        return None
    for case in product(*domains.values()):
        values = dict(zip(domains, case, strict=True))
        if not any(_value(tree, values) is True for _, tree in rules):
            return _words(seen, values)
    return None


def _words(seen: Mapping[str, _Seen], values: Mapping[str, Any]) -> str:
    parts = []
    for key, value in values.items():
        path = field_path(seen[key].tree)
        if path is None or value == _OTHER or isinstance(value, float):
            return ""
        shown = f"'{value}'" if isinstance(value, str) else json.dumps(value)
        parts.append(f'"{".".join(path)}" is {shown}')
    return " and ".join(parts)


def _look(tree: Tree, seen: dict[str, _Seen]) -> None:
    """Gather what the tree tells apart: the operands of its comparisons, and what stands there as true or false."""
    if tree["type"] in _LOGIC:
        for child in tree["children"]:
            _look(child, seen)
        return
    operands = tree["children"] if tree["type"] == "comparator" else [tree]
    literals = [one["value"] for one in operands if one["type"] == "literal"]
    others = [one for one in operands if one["type"] != "literal"]
    if len(others) > 1:  # two unknowns: the comparison itself is what is told apart
        seen.setdefault(_key(tree), _Seen(tree))
        return
    for one in others:
        seen.setdefault(_key(one), _Seen(one)).literals.extend(literals)


def _domain(site: Site, seen: _Seen) -> list[Any]:
    tree = seen.tree
    if tree["type"] == "comparator":
        return [True, False]
    if tree["type"] == "function_expression" and tree["value"] in _BOOLEAN_FUNCTIONS:
        return [True, False]
    if tree["type"] == "function_expression" and tree["value"] == "length":
        return _numbers(seen.literals, {"minimum": 0})
    path = field_path(tree)
    schema = site.schema(path) if path else None
    maybe = [] if path and site.certain(path) else [None]
    if schema and schema.get("enum"):
        return [*schema["enum"], *maybe]
    types = (schema or {}).get("type", ())
    types = {types} if isinstance(types, str) else set(types)
    kinds = [
        [True, False] if not types or "boolean" in types else [],
        _numbers(seen.literals, schema or {}) if not types or types & {"number", "integer"} else [],
        [*_texts(seen.literals), _OTHER] if not types or types - {"number", "integer", "boolean", "null"} else [],
    ]
    return [*(value for kind in kinds for value in kind), *(maybe or ([None] if "null" in types else []))]


def _numbers(literals: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    """A number below, at, between and above all those compared with, within the schema's bounds."""
    points = sorted({float(one) for one in literals if isinstance(one, int | float) and not isinstance(one, bool)})
    between = [(one + other) / 2 for one, other in pairwise(points)]
    around = [points[0] - 0.5, *points, *between, points[-1] + 0.5] if points else [0.5]
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    return [value for value in around if least <= value <= most] or [float(least)]


def _texts(literals: Sequence[Any]) -> Iterator[str]:
    return (one for one in dict.fromkeys(one for one in literals if isinstance(one, str)))


def _value(tree: Tree, values: Mapping[str, Any]) -> Any:
    kind = tree["type"]
    if kind == "literal":
        return tree["value"]
    if kind == "not_expression":
        return not _value(tree["children"][0], values)
    if kind == "and_expression":
        return _value(tree["children"][0], values) and _value(tree["children"][1], values)
    if kind == "or_expression":
        return _value(tree["children"][0], values) or _value(tree["children"][1], values)
    if kind != "comparator" or _key(tree) in values:
        return values[_key(tree)]
    left, right = (_value(child, values) for child in tree["children"])
    return _compare(tree["value"], left, right)


def _compare(operator: str, left: Any, right: Any) -> bool:
    if operator in ("eq", "ne"):
        same = isinstance(left, bool) is isinstance(right, bool) and bool(left == right)
        return same is (operator == "eq")
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (left, right)):
        return False
    return bool({"lt": left < right, "lte": left <= right, "gt": left > right, "gte": left >= right}[operator])


def _key(tree: Tree) -> str:
    """What is told apart, so that `a != b` is the contrary of `a == b` only by its operator."""
    return json.dumps(tree, sort_keys=True, default=str)
