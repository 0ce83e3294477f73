"""Branch distance: how far an expression is from being true or false in a scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression, evaluate_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.checks.expressions.tokens import Tree
    from aurora.interpreter.language.model import Rule

_FAILURE_DISTANCE = 3.0
"""An expression that fails is further away than one that is merely false."""


def measure_distance(text: str, scope: Mapping[str, Any], *, wanted: bool) -> float:
    """Return 0 when the expression is as wanted; else more for each part to change."""
    try:
        return _measure_tree(compile_expression(text).parsed, scope, wanted=wanted)
    except ExpressionError:
        return _FAILURE_DISTANCE


def measure_rule_distance(rules: Sequence[Rule], index: int, scope: Mapping[str, Any]) -> float:
    """Measure how far the scope is from one in which this rule wins."""
    total = 0.0
    for number, rule in enumerate(rules[: index + 1]):
        if rule.when is not None:
            total += measure_distance(rule.when, scope, wanted=number == index)
        elif number < index:
            total += _FAILURE_DISTANCE
    return total


def _measure_tree(tree: Tree, scope: Mapping[str, Any], *, wanted: bool) -> float:
    kind, children = tree["type"], tree["children"]
    if kind == "not_expression":
        return _measure_tree(children[0], scope, wanted=not wanted)
    if kind in ("and_expression", "or_expression"):
        each = [_measure_tree(child, scope, wanted=wanted) for child in children]
        return sum(each) if (kind == "and_expression") is wanted else min(each)
    try:
        value = evaluate_tree(tree, scope)
    except ExpressionError:
        return _FAILURE_DISTANCE
    if value is wanted:
        return 0.0
    return _measure_gap(tree, scope) if kind == "comparator" else 1.0 if isinstance(value, bool) else 2.0


def _measure_gap(tree: Tree, scope: Mapping[str, Any]) -> float:
    """Return a distance from 0.5 to 1 that is smaller for numbers near each other."""
    left, right = (evaluate_tree(child, scope) for child in tree["children"])
    try:
        return float(1 - 0.5 / (1 + abs(left - right)))
    except (TypeError, ArithmeticError):  # values that are not numbers, or numbers beyond floats
        return 1.0
