"""Evaluation of a `when` in one case, with the semantics of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import (
    NULL_SAFE_FUNCTIONS,
    build_node_key,
    is_bare_null,
    read_membership,
    to_field_path,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.expressions import Tree


class UndecidedError(Exception):
    """A function got null, which it does not accept."""


def evaluate_tree(tree: Tree, values: Mapping[str, Any]) -> Any:
    """Evaluate the tree with these values of its operands.

    Raises:
        UndecidedError: a function would reject its arguments.
    """
    kind = tree["type"]
    if kind == "literal":
        return tree["value"]
    if is_bare_null(tree):
        return None
    if kind == "not_expression":
        return is_falsy(evaluate_tree(tree["children"][0], values))
    if kind in ("and_expression", "or_expression"):
        left = evaluate_tree(tree["children"][0], values)
        return evaluate_tree(tree["children"][1], values) if is_falsy(left) is (kind == "or_expression") else left
    key = build_node_key(tree)
    if kind != "comparator" or key in values:
        return _read_value(tree, values)
    left, right = (evaluate_tree(child, values) for child in tree["children"])
    return _compare_values(tree["value"], left, right)


def _read_value(tree: Tree, values: Mapping[str, Any]) -> Any:
    """Return the value of an operand, or whether a list of literals contains it."""
    membership = read_membership(tree)
    if membership is not None:
        sought = values[build_node_key(membership[1])]
        return any(_compare_values("eq", literal, sought) for literal in membership[0])
    _reject_null_arguments(tree, values)
    return values[build_node_key(tree)]


def is_falsy(value: Any) -> bool:
    """Return whether a value is null, false or empty; 0 is true."""
    return value is None or value is False or (isinstance(value, str | list | dict) and not value)


def _reject_null_arguments(tree: Tree, values: Mapping[str, Any]) -> None:
    functions = [one for one in (tree, *tree["children"]) if isinstance(one, dict)]
    for one in functions:
        if one["type"] != "function_expression" or one["value"] in NULL_SAFE_FUNCTIONS:
            continue
        for child in one["children"]:
            if to_field_path(child) is not None and values.get(build_node_key(child), "") is None:
                raise UndecidedError


def _compare_values(operator: str, left: Any, right: Any) -> bool | None:
    if operator in ("eq", "ne"):
        same = isinstance(left, bool) is isinstance(right, bool) and bool(left == right)
        return same is (operator == "eq")
    if not all(isinstance(one, int | float | str) and not isinstance(one, bool) for one in (left, right)):
        return None
    if isinstance(left, str) is not isinstance(right, str):
        return False
    return bool({"lt": left < right, "lte": left <= right, "gt": left > right, "gte": left >= right}[operator])
