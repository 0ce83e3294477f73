"""Words for types, literals and operators in messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

TYPE_LABELS = {
    "array": "a list",
    "array-number": "a list of numbers",
    "array-string": "a list of strings",
    "boolean": "a boolean",
    "expref": "an expression after &",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
OPERATOR_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def describe_types(types: Iterable[str]) -> str:
    """Return the labels of the types, as in `a list or a string`."""
    return " or ".join(sorted(TYPE_LABELS.get(name, name) for name in types))


def format_literal(value: Any) -> str:
    """Write the value as an expression does: strings in single quotes, all else in backticks."""
    if isinstance(value, str):
        return f"'{value}'"
    return f"`{json.dumps(value, ensure_ascii=False)}`"
