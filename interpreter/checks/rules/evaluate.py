"""What a `when` comes out as in one case, as the library would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.domains import TAKES_NULL, key_of
from aurora.interpreter.checks.expressions.tree import bare_null, field_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.checks.expressions.tree import Tree


class Undecided(Exception):  # noqa: N818 - no error of ours: the run itself would stop here
    """A function was given null, which it does not take."""


def value_of(tree: Tree, values: Mapping[str, Any]) -> Any:
    """The tree's value when what it looks at has these values.

    Raises:
        Undecided: a function would refuse its arguments.
    """
    kind = tree["type"]
    if kind == "literal":
        return tree["value"]
    if bare_null(tree):
        return None
    if kind == "not_expression":
        return falsy(value_of(tree["children"][0], values))
    if kind in ("and_expression", "or_expression"):
        left = value_of(tree["children"][0], values)
        return value_of(tree["children"][1], values) if falsy(left) is (kind == "or_expression") else left
    if kind != "comparator" or key_of(tree) in values:
        _refused(tree, values)
        return values[key_of(tree)]
    left, right = (value_of(child, values) for child in tree["children"])
    return _compare(tree["value"], left, right)


def falsy(value: Any) -> bool:
    """Null, false and what is empty; 0 is true."""
    return value is None or value is False or (isinstance(value, str | list | dict) and not value)


def _refused(tree: Tree, values: Mapping[str, Any]) -> None:
    functions = [one for one in (tree, *tree["children"]) if isinstance(one, dict)]
    for one in functions:
        if one["type"] != "function_expression" or one["value"] in TAKES_NULL:
            continue
        for child in one["children"]:
            if field_path(child) is not None and values.get(key_of(child), "") is None:
                raise Undecided


def _compare(operator: str, left: Any, right: Any) -> bool | None:
    if operator in ("eq", "ne"):
        same = isinstance(left, bool) is isinstance(right, bool) and bool(left == right)
        return same is (operator == "eq")
    if not all(isinstance(one, int | float | str) and not isinstance(one, bool) for one in (left, right)):
        return None
    if isinstance(left, str) is not isinstance(right, str):
        return False
    return bool({"lt": left < right, "lte": left <= right, "gt": left > right, "gte": left >= right}[operator])
