"""Values that a host sends as JSON text: some models write objects and arrays so, also fenced."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema.validate import find_faults

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCED = re.compile(r"\s*```\w*[ \t]*\n(.*)\n\s*```\s*", re.DOTALL)


def validate_value(value: Any, schema: Mapping[str, Any], path: str) -> tuple[Any, list[dict[str, str]]]:
    """Validate a value; a text that the schema refuses is replaced by the JSON value that it contains.

    Args:
        value: what the host sent.
        schema: the JSON Schema of the value.
        path: the value's path, for the faults.

    Returns:
        The value to use, and what is wrong with it.
    """
    faults = find_faults(value, schema, path)
    if not faults or not isinstance(value, str):
        return value, faults
    fenced = _FENCED.fullmatch(value)
    text = (fenced[1] if fenced else value).strip()
    try:
        parsed = json.loads(text)
    except RecursionError:
        return value, faults
    except ValueError as error:
        is_json = text.startswith(("{", "["))
        return value, [{"path": path, "message": f"is not valid JSON: {error}"}] if is_json else faults
    if not (found := find_faults(parsed, schema, path)) or isinstance(parsed, dict | list):
        return parsed, found
    return value, faults
