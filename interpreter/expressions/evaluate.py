"""The library's interpreter of expressions, with its work counted.

An expression and its data can come from somebody else. Each node that is visited counts one step, so that every
projection is bounded by itself; only what one node does with a whole list or text is counted here, before it is done.
"""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Any

from jmespath.exceptions import JMESPathError, JMESPathTypeError
from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter

if TYPE_CHECKING:
    from collections.abc import Callable

    from .error import Tree
    from .meter import Budget

MAX_COPIES = 32
"""Copies of one value in a result whose size is not measured; `[@, @]` makes two, and `[@, @] | [@, @]` four."""
_MAX_SHOWN = 120
"""Characters of a value in an error message."""
_FREE_TEXT = 64
"""Characters of a text that count as one step."""
_ORDERINGS = frozenset({"max", "max_by", "min", "min_by", "sort", "sort_by"})
_TYPE_ONLY = frozenset({"length", "not_null", "to_array", "to_string", "type"})
"""Functions that do not read the characters of a text."""
_VISIT_LISTS = ("answers", "results")


def evaluate_counted(tree: Tree, value: Any, budget: Budget) -> Any:
    """Evaluate a syntax tree, whose depth is within `MAX_DEPTH`, over a value.

    Raises:
        BudgetError: it works on too much, or its result is too large.
        JMESPathError: a function is unknown, or rejects its arguments.
        Cancelled: the call was cancelled.
    """
    interpreter = _CountingInterpreter(budget)
    result = interpreter.visit(tree, value)
    # A value that is put together can refer to one part many times: small here, and huge when it is written.
    if interpreter.has_combined and _measure_copies(tree) > MAX_COPIES:
        budget.check_result(result)
    return result


class _CountingInterpreter(TreeInterpreter):
    """Interpreter with a budget.

    Attributes:
        has_combined: whether a list or an object was put together.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._dict_cls = dict  # the only attribute of the library that its visits read
        self.has_combined = False

    def visit(self, node: Any, value: Any) -> Any:
        """Count one step, and evaluate the node."""
        budget = self._budget
        budget.steps += 1
        if budget.steps >= budget.next_check:
            budget.charge(0)
        return _VISITS[node["type"]](self, node, value)

    def visit_subexpression(self, node: Any, value: Any) -> Any:
        """Follow a path; `phases.NAME.answers` of a phase that has not run is an empty list, and not null."""
        parts = node["children"]
        if len(parts) == len(("phases", "NAME", "answers")) and parts[2].get("value") in _VISIT_LISTS:
            first, phase = parts[0].get("value"), parts[1]
            phases = value.get("phases") if first == "phases" and isinstance(value, dict) else None
            if isinstance(phases, dict) and phase["type"] == "field" and phases.get(phase["value"]) is None:
                return []
        for part in parts:
            value = self.visit(part, value)
        return value

    def visit_flatten(self, node: Any, value: Any) -> Any:
        """Flatten a list by one level; its parts can be one large list many times."""
        base = self.visit(node["children"][0], value)
        if not isinstance(base, list):
            return None
        self._budget.charge(len(base))
        self._budget.charge(sum(len(element) for element in base if isinstance(element, list)))
        merged: list[Any] = []
        for element in base:
            if isinstance(element, list):
                merged += element
            else:
                merged.append(element)
        return merged

    def visit_slice(self, node: Any, value: Any) -> Any:
        """Take a part of a list."""
        if isinstance(value, list):
            self._budget.charge(len(value))
        return super().visit_slice(node, value)

    def visit_comparator(self, node: Any, value: Any) -> Any:
        """Compare two values; 0 and 1 are not false and true."""
        left, right = (self.visit(child, value) for child in node["children"])
        if node["value"] not in ("eq", "ne") and not (_has_order(left) and _has_order(right)):
            return None
        _charge_equality(left, right, self._budget)
        return self.COMPARATOR_FUNC[node["value"]](left, right)

    def visit_multi_select_list(self, node: Any, value: Any) -> Any:
        """Put a list together."""
        self.has_combined = True
        return super().visit_multi_select_list(node, value)

    def visit_multi_select_dict(self, node: Any, value: Any) -> Any:
        """Put an object together."""
        self.has_combined = True
        return super().visit_multi_select_dict(node, value)

    def visit_function_expression(self, node: Any, value: Any) -> Any:
        """Call a function of the library, after its work is counted."""
        name = node["value"]
        arguments = [self.visit(child, value) for child in node["children"]]
        if name in _FUNCTIONS.FUNCTION_TABLE:
            _charge_call(name, arguments, self._budget)
        try:
            return _FUNCTIONS.call_function(name, arguments)
        except JMESPathTypeError as error:
            raise JMESPathError(_describe_type_error(error)) from None


_FUNCTIONS: Any = Functions()
_VISITS: dict[str, Callable[[Any, Tree, Any], Any]] = {
    name.removeprefix("visit_"): getattr(_CountingInterpreter, name)
    for name in dir(_CountingInterpreter)
    if name.startswith("visit_")
}
"""Methods of the interpreter by the type of node; the library's own look-up takes twice as long."""


def _charge_call(name: str, arguments: list[Any], budget: Budget) -> None:
    """Count the work of a function: the items of lists and objects, and the characters that it reads."""
    for argument in arguments:
        if isinstance(argument, list):
            # also where a function looks at none of them, because the library checks the type of each
            budget.charge(len(argument) * (len(argument).bit_length() if name in _ORDERINGS else 1))
        elif isinstance(argument, dict):
            budget.charge(len(argument))
        elif isinstance(argument, str) and name not in _TYPE_ONLY:
            budget.charge_characters(len(argument))
    charge = _INNER_CHARGES.get(name)
    if charge is not None and arguments:
        charge(arguments[0], arguments[-1], budget)


def _charge_texts(first: Any, last: Any, budget: Budget) -> None:
    """Count the characters of the texts in a list, and of a separator between them."""
    if isinstance(last, list):
        separators = len(first) * len(last) if isinstance(first, str) else 0
        budget.charge_characters(separators + sum(len(item) for item in last if isinstance(item, str)))


def _charge_search(first: Any, last: Any, budget: Budget) -> None:
    """Count the comparisons of the items of a list with a value."""
    for item in first if isinstance(first, list) else ():
        _charge_equality(item, last, budget)


def _charge_text(first: Any, _: Any, budget: Budget) -> None:
    """Count the text of a value, with all that is inside it."""
    if not isinstance(first, str):
        budget.charge_values((first,))


_INNER_CHARGES: dict[str, Callable[[Any, Any, Budget], None]] = {
    "contains": _charge_search,
    "join": _charge_texts,
    "max": _charge_texts,
    "min": _charge_texts,
    "sort": _charge_texts,
    "to_string": _charge_text,
}
"""Work of the functions that read what is inside their arguments, by the first and the last one."""


def _charge_equality(left: Any, right: Any, budget: Budget) -> None:
    """Count the work of a comparison; values of different length are not looked at further."""
    if left is right or type(left) is not type(right):
        return
    if isinstance(left, str):
        if len(left) == len(right) > _FREE_TEXT:
            budget.charge_characters(len(left))
    elif isinstance(left, list | dict) and left and len(left) == len(right):
        budget.charge_values((left,))


def _has_order(value: Any) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _measure_copies(tree: Tree) -> int:
    """Return how many times an expression can put one value into its result, at most."""
    copies = [_measure_copies(child) for child in tree["children"] if isinstance(child, dict)]
    kind = tree["type"]
    if kind in ("multi_select_list", "multi_select_dict"):
        return sum(copies)
    if kind == "function_expression":
        return max(sum(copies), 1) if tree["value"] != "map" else prod(copies)
    if kind in ("comparator", "not_expression"):
        return 1
    if kind in ("or_expression", "and_expression"):
        return max(copies)
    return prod(copies[:2] if kind == "filter_projection" else copies)


def _describe_type_error(error: Any) -> str:
    """Describe an argument of a wrong type as the library does, cut to `_MAX_SHOWN` characters."""
    return (
        f"In function {error.function_name}(), invalid type for value: {_show_value(error.current_value)}, "
        f'expected one of: {error.expected_types}, received: "{error.actual_type}"'
    )


def _show_value(value: Any) -> str:
    """Return the start of a value as text; what is behind it is not read."""
    if isinstance(value, list | dict):
        text = ""
        for part in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
            text += part
            if len(text) > _MAX_SHOWN:
                break
    else:
        text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
