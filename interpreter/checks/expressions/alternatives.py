"""What is written as people say it: `kind == 'A' || 'B'`, and `!kind == 'A'`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .tree import field_path, walk
from .types import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems.problem import Problem

    from .shapes import Value
    from .sites import Site
    from .tree import Tree

_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_OPPOSITE = {"eq": "!=", "ne": "=="}
_ORDERS = frozenset({"lt", "lte", "gt", "gte"})


def meant(tree: Tree, part: Tree) -> str:
    """The test that a lone text or number after `||` or `&&` was to be; empty when there is none like it."""
    if part["type"] != "literal":
        return ""
    for node in walk(tree):
        if node["type"] == "comparator" and node["children"][1]["type"] == "literal":
            path = field_path(node["children"][0])
            if path and type(node["children"][1]["value"]) is type(part["value"]):
                test = f"{'.'.join(path)} {_SIGNS[node['value']]} {_shown(part['value'])}"
                return f"each side of && and || is a test of its own: write `{test}`"
    return ""


def kept(site: Site, condition: Tree) -> Iterator[Problem]:
    """A filter whose condition has a lone literal beside `||`, and so keeps every item."""
    for part in _alternatives(condition):
        if part["type"] == "literal" and part["value"] not in (None, False, "", [], {}):
            message = f"{_shown(part['value'])} counts as true by itself, so this filter keeps every item"
            yield codes.CONSTANT_TEST.at(site.at(part), message, help=meant(condition, part))


def _alternatives(tree: Tree) -> Iterator[Tree]:
    """What stands between the `||` of the tree, at its top."""
    if tree["type"] == "or_expression":
        for child in tree["children"]:
            yield from _alternatives(child)
    else:
        yield tree


def between(site: Site, node: Tree) -> Iterator[Problem]:
    """`kind == ('A' || 'B')`, which is `kind == 'A'`."""
    for one, other in (node["children"], reversed(node["children"])):
        if one["type"] != "or_expression" or one["children"][0]["type"] != "literal":
            continue
        first = one["children"][0]["value"]
        path = field_path(other)
        if first in (None, False, "", [], {}) or path is None:
            continue
        test = f"{'.'.join(path)} {_SIGNS[node['value']]} "
        message = f"this is always {_shown(first)}: what stands after || is never asked"
        join = "&&" if node["value"] == "ne" else "||"
        tests = [f"{test}{_shown(part['value'])}" for part in _alternatives(one) if part["type"] == "literal"]
        help_ = f"write `{f' {join} '.join(tests)}`"
        yield codes.CONSTANT_TEST.at(site.across(one), message, help=help_)


def negated(site: Site, node: Tree, sides: Sequence[Value]) -> Iterator[Problem]:
    """`!a == b`, which compares what `!a` gives; right only where b is true or false itself."""
    (left, right), operator = node["children"], node["value"]
    other = kinds(sides[1])
    if left["type"] != "not_expression" or not (operator in _ORDERS or (other and "boolean" not in other)):
        return
    place = site.across(left["children"][0])
    sign = _SIGNS[operator]
    path = field_path(left["children"][0])
    help_ = "put the comparison in brackets"
    if path and right["type"] == "literal":
        name, value = ".".join(path), _shown(right["value"])
        help_ = f"write `!({name} {sign} {value})`"
        if operator in _OPPOSITE:
            help_ = f"write `{name} {_OPPOSITE[operator]} {value}`"
    message = f'"!" binds tighter than "{sign}", so this negates only what stands before it'
    yield codes.NEGATED_PATH.at(place, message, help=help_)


def _shown(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else f"`{value}`"
