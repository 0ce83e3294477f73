"""Check of misread operators: `kind == 'A' || 'B'`, and `!kind == 'A'`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import Fix, codes

from . import tokens
from .tree import to_field_path, walk_tree
from .types import infer_json_types
from .wording import OPERATOR_SYMBOLS, format_literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter.problems import Problem

    from .shapes import InferredType
    from .sites import ExpressionSite
    from .tree import Tree

_NEGATED_SYMBOLS = {"eq": "!=", "ne": "=="}
_ORDERING_OPERATORS = frozenset({"lt", "lte", "gt", "gte"})
_FALSY_LITERALS: tuple[object, ...] = (None, False, "", [], {})


def suggest_comparison(tree: Tree, part: Tree) -> str:
    """Suggest the comparison that a lone literal after `||` or `&&` stands for, or ""."""
    if part["type"] != "literal":
        return ""
    for node in walk_tree(tree):
        if node["type"] == "comparator" and node["children"][1]["type"] == "literal":
            path = to_field_path(node["children"][0])
            if path and type(node["children"][1]["value"]) is type(part["value"]):
                test = f"{'.'.join(path)} {OPERATOR_SYMBOLS[node['value']]} {format_literal(part['value'])}"
                return f"each side of && and || is a separate test: write `{test}`"
    return ""


def check_mixed_operators(site: ExpressionSite) -> Iterator[Problem]:
    """Report `a && b || c`, which readers take for `a && (b || c)` as easily as for `(a && b) || c`."""
    written = tokens.bracket_mixed_operators(site.text) if "&&" in site.text and "||" in site.text else site.text
    if written != site.text:
        message = "&& and || are mixed without brackets; && binds tighter than ||"
        place = site.locate_span((0, len(site.text)))
        help_ = f"write `{written}`, or put the brackets elsewhere"
        yield codes.MIXED_OPERATORS.make_problem(place, message, help=help_, fix=Fix(site.text, written))


def check_constant_filter(site: ExpressionSite, condition: Tree) -> Iterator[Problem]:
    """Report a filter with a lone literal next to `||`: it keeps every item."""
    for part in _split_or_operands(condition):
        if part["type"] == "literal" and part["value"] not in _FALSY_LITERALS:
            message = f"{format_literal(part['value'])} counts as true by itself, so this filter keeps every item"
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
    for operand, other in (node["children"], reversed(node["children"])):
        if operand["type"] != "or_expression" or operand["children"][0]["type"] != "literal":
            continue
        first = operand["children"][0]["value"]
        path = to_field_path(other)
        if first not in _FALSY_LITERALS and path is not None:
            message = f"this is always {format_literal(first)}: the part after || is never evaluated"
            help_ = f"write `{_write_out_alternatives(path, node['value'], operand)}`"
            yield codes.CONSTANT_TEST.make_problem(site.locate_parts(operand), message, help=help_)


def _write_out_alternatives(path: Sequence[str], operator: str, operand: Tree) -> str:
    """Write `kind == ('A' || 'B')` as `kind == 'A' || kind == 'B'`."""
    literals = [format_literal(part["value"]) for part in _split_or_operands(operand) if part["type"] == "literal"]
    join = " && " if operator == "ne" else " || "
    return join.join(f"{'.'.join(path)} {OPERATOR_SYMBOLS[operator]} {literal}" for literal in literals)


def check_negated_operand(site: ExpressionSite, node: Tree, sides: Sequence[InferredType]) -> Iterator[Problem]:
    """Report `!a == b`, which compares `!a`, unless b is a boolean."""
    (left, right), operator = node["children"], node["value"]
    if left["type"] != "not_expression" or not (operator in _ORDERING_OPERATORS or _is_never_boolean(sides[1])):
        return
    symbol = OPERATOR_SYMBOLS[operator]
    path = to_field_path(left["children"][0])
    help_ = "put the comparison in brackets"
    if path and right["type"] == "literal":
        name, value = ".".join(path), format_literal(right["value"])
        negated = _NEGATED_SYMBOLS.get(operator)
        help_ = f"write `{name} {negated} {value}`" if negated else f"write `!({name} {symbol} {value})`"
    message = f'"!" binds tighter than "{symbol}", so this negates only the part before it'
    yield codes.NEGATED_PATH.make_problem(site.locate_parts(left["children"][0]), message, help=help_)


def _is_never_boolean(side: InferredType) -> bool:
    types = infer_json_types(side)
    return bool(types) and "boolean" not in types
