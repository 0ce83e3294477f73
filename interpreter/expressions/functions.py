"""JMESPath functions with their costs, which are counted before the library's function works."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jmespath import exceptions
from jmespath.functions import Functions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .budget import Budget

_MAX_SHOWN = 120
"""Characters of a value in an error message."""
_FREE_TEXT = 64
"""Characters of a text that count as one step."""


# The library recognizes a reference to an expression by the name of its class.
class _Expression:
    """Reference to an expression, `&name`, as the library's functions call it.

    Attributes:
        expression: nothing; the library passes it back.
        weight: the steps of one evaluation.
    """

    __slots__ = ("_evaluate", "budget", "expression", "weight")

    def __init__(self, evaluate: Callable[[Any, Budget], Any], budget: Budget, weight: int) -> None:
        self._evaluate = evaluate
        self.budget = budget
        self.expression = None
        self.weight = weight

    def visit(self, _: object, value: Any) -> Any:
        """Evaluate the expression over a value."""
        return self._evaluate(value, self.budget)


ExpressionReference = _Expression

_FUNCTIONS: Any = Functions()


def call_function(name: str, arguments: list[Any], budget: Budget) -> Any:
    """Call a function of the library.

    Raises:
        JMESPathError: the function is unknown, or rejects its arguments.
        BudgetError: its work exceeds the budget.
    """
    charge = CHARGES.get(name)
    if charge is None:
        raise exceptions.UnknownFunctionError(f"Unknown function: {name}()")
    for argument in arguments:
        if isinstance(argument, list):
            budget.charge(len(argument))  # the library looks at the type of each element
    spec = Functions.FUNCTION_TABLE[name]
    try:
        _FUNCTIONS._validate_arguments(arguments, spec["signature"], name)  # noqa: SLF001 - before the costs are known
        charge(arguments, budget)
        return spec["function"](_FUNCTIONS, *arguments)
    except exceptions.JMESPathTypeError as error:
        raise exceptions.JMESPathError(_describe_type_error(error)) from None


def _describe_type_error(error: Any) -> str:
    """Describe an argument of a wrong type as the library does, cut to `_MAX_SHOWN` characters."""
    return (
        f"In function {error.function_name}(), invalid type for value: {show_value(error.current_value)}, "
        f'expected one of: {error.expected_types}, received: "{error.actual_type}"'
    )


def show_value(value: Any, most: int = _MAX_SHOWN) -> str:
    """Return the start of a value as text; what is behind it is not read."""
    if isinstance(value, list | dict):
        text = ""
        for part in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
            text += part
            if len(text) > most:
                break
    else:
        text = value if isinstance(value, str) else str(value)
    return text if len(text) <= most else f"{text[:most]}…"


def charge_equality(left: Any, right: Any, budget: Budget) -> None:
    """Count the work of a comparison; values of different length are not looked at further."""
    if left is right or type(left) is not type(right):
        return
    if isinstance(left, str):
        if len(left) == len(right) > _FREE_TEXT:
            budget.charge_characters(len(left))
    elif isinstance(left, list | dict) and left and len(left) == len(right):
        budget.charge_values((left,))


def _charge_nothing(arguments: Sequence[Any], budget: Budget) -> None:
    """Count a function whose work does not depend on the size of its arguments."""


def _charge_items(arguments: Sequence[Any], budget: Budget) -> None:
    """Count the items of lists and objects, and the characters of texts."""
    for argument in arguments:
        if isinstance(argument, str):
            budget.charge_characters(len(argument))
        elif isinstance(argument, list | dict):
            budget.charge(len(argument))


def _charge_ordering(arguments: Sequence[Any], budget: Budget) -> None:
    """Count n log n comparisons of numbers or texts."""
    items = arguments[0]
    rounds = len(items).bit_length()
    budget.charge(len(items) * rounds)
    budget.charge_characters(sum(len(item) for item in items if isinstance(item, str)))


def _charge_keys(arguments: Sequence[Any], budget: Budget) -> None:
    """Count the evaluations of a reference for each item, and the comparisons of what they give."""
    items, reference = arguments
    budget.charge(len(items) * (reference.weight + len(items).bit_length()))


def _charge_map(arguments: Sequence[Any], budget: Budget) -> None:
    reference, items = arguments
    budget.charge(len(items) * reference.weight)


def _charge_join(arguments: Sequence[Any], budget: Budget) -> None:
    separator, items = arguments
    budget.charge(len(items))
    budget.charge_characters(len(separator) * len(items) + sum(map(len, items)))


def _charge_contains(arguments: Sequence[Any], budget: Budget) -> None:
    subject, search = arguments
    if isinstance(subject, str):
        budget.charge_characters(len(subject) + (len(search) if isinstance(search, str) else 0))
        return
    for item in subject:
        charge_equality(item, search, budget)


def _charge_text(arguments: Sequence[Any], budget: Budget) -> None:
    """Count the text of a value, with all that is inside it."""
    if not isinstance(arguments[0], str):
        budget.charge_values(arguments)


CHARGES: dict[str, Callable[[Sequence[Any], Budget], None]] = {
    "abs": _charge_nothing,
    "avg": _charge_items,
    "ceil": _charge_nothing,
    "contains": _charge_contains,
    "ends_with": _charge_items,
    "floor": _charge_nothing,
    "join": _charge_join,
    "keys": _charge_items,
    "length": _charge_nothing,
    "map": _charge_map,
    "max": _charge_ordering,
    "max_by": _charge_keys,
    "merge": _charge_items,
    "min": _charge_ordering,
    "min_by": _charge_keys,
    "not_null": _charge_nothing,
    "reverse": _charge_items,
    "sort": _charge_ordering,
    "sort_by": _charge_keys,
    "starts_with": _charge_items,
    "sum": _charge_items,
    "to_array": _charge_nothing,
    "to_number": _charge_items,
    "to_string": _charge_text,
    "type": _charge_nothing,
    "values": _charge_items,
}
"""How the work of each function is counted; a function without an entry does not exist."""
