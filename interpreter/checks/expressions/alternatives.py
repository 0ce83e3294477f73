"""Check of misread operators: `kind == 'A' || 'B'`, and `!kind == 'A'`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .tree import to_field_path, walk_tree
from .types import infer_json_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .shapes import InferredType
    from .sites import ExpressionSite
    from .tree import Tree

_OPERATOR_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_NEGATED_SYMBOLS = {"eq": "!=", "ne": "=="}
_ORDERING_OPERATORS = frozenset({"lt", "lte", "gt", "gte"})


def suggest_comparison(tree: Tree, part: Tree) -> str:
    """Suggest the comparison that a lone literal after `||` or `&&` stands for, or ""."""
    if part["type"] != "literal":
        return ""
    for node in walk_tree(tree):
        if node["type"] == "comparator" and node["children"][1]["type"] == "literal":
            path = to_field_path(node["children"][0])
            if path and type(node["children"][1]["value"]) is type(part["value"]):
                test = f"{'.'.join(path)} {_OPERATOR_SYMBOLS[node['value']]} {_format_literal(part['value'])}"
                return f"each side of && and || is a test of its own: write `{test}`"
    return ""


def check_constant_filter(site: ExpressionSite, condition: Tree) -> Iterator[Problem]:
    """Report a filter with a lone literal next to `||`: it keeps every item."""
    for part in _split_or_operands(condition):
        if part["type"] == "literal" and part["value"] not in (None, False, "", [], {}):
            message = f"{_format_literal(part['value'])} counts as true by itself, so this filter keeps every item"
            yield codes.CONSTANT_TEST.make_problem(
                site.locate_node(part), message, help=suggest_comparison(condition, part)
            )


def _split_or_operands(tree: Tree) -> Iterator[Tree]:
    """Yield the operands of the `||` at the top of the tree."""
    if tree["type"] == "or_expression":
        for child in tree["children"]:
            yield from _split_or_operands(child)
    else:
        yield tree


def check_constant_operand(site: ExpressionSite, node: Tree) -> Iterator[Problem]:
    """Report `kind == ('A' || 'B')`, which is `kind == 'A'`."""
    for one, other in (node["children"], reversed(node["children"])):
        if one["type"] != "or_expression" or one["children"][0]["type"] != "literal":
            continue
        first = one["children"][0]["value"]
        path = to_field_path(other)
        if first in (None, False, "", [], {}) or path is None:
            continue
        test = f"{'.'.join(path)} {_OPERATOR_SYMBOLS[node['value']]} "
        message = f"this is always {_format_literal(first)}: what stands after || is never asked"
        join = "&&" if node["value"] == "ne" else "||"
        tests = [
            f"{test}{_format_literal(part['value'])}" for part in _split_or_operands(one) if part["type"] == "literal"
        ]
        help_ = f"write `{f' {join} '.join(tests)}`"
        yield codes.CONSTANT_TEST.make_problem(site.locate_parts(one), message, help=help_)


def check_negated_operand(site: ExpressionSite, node: Tree, sides: Sequence[InferredType]) -> Iterator[Problem]:
    """Report `!a == b`, which compares `!a`, unless b is a boolean."""
    (left, right), operator = node["children"], node["value"]
    other = infer_json_types(sides[1])
    if left["type"] != "not_expression" or not (operator in _ORDERING_OPERATORS or (other and "boolean" not in other)):
        return
    place = site.locate_parts(left["children"][0])
    sign = _OPERATOR_SYMBOLS[operator]
    path = to_field_path(left["children"][0])
    help_ = "put the comparison in brackets"
    if path and right["type"] == "literal":
        name, value = ".".join(path), _format_literal(right["value"])
        help_ = f"write `!({name} {sign} {value})`"
        if operator in _NEGATED_SYMBOLS:
            help_ = f"write `{name} {_NEGATED_SYMBOLS[operator]} {value}`"
    message = f'"!" binds tighter than "{sign}", so this negates only what stands before it'
    yield codes.NEGATED_PATH.make_problem(place, message, help=help_)


def _format_literal(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else f"`{value}`"
