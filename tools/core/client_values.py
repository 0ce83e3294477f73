"""Adaptation of arguments to a schema: null, numbers as text, single values.

Clients send them in these forms, whatever the schema says.
"""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from .validate import encode_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

_MAX_ROUNDS = 4
"""Rounds of repair: a value inside a text inside a list needs three."""
_UNCHANGED = object()
_ABSENT = object()
_EMPTY_ERRORS = frozenset({"string_too_short", "literal_error", "string_pattern_mismatch"})
"""Types of errors of an empty text, which models send like null."""
_MAX_EXACT = 2**53
"""Largest whole number up to which a float has all of them."""
_WHOLE_NUMBER = re.compile(r"\s*(-?\d{1,15})(?:\.0{1,15})?\s*", re.ASCII)
_NUMBER = re.compile(r"\s*-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?\s*", re.ASCII)
_BOOLEANS = {"true": True, "false": False}


def adapt_arguments(model: type[BaseModel], arguments: Mapping[str, Any], what: str) -> Mapping[str, Any]:
    """Return the arguments in the form that the model takes, where their meaning leaves no doubt.

    Several clients send null or "" for what they leave out, and models send numbers and lists as text, or one value in
    place of a list: refusing them costs a call and teaches nobody. A value that the model takes as it is never changes.

    Args:
        model: the pydantic model of the input, strict.
        arguments: JSON values.
        what: the tool's name for the message of a fault.

    Raises:
        Fault: INVALID_INPUT for arguments that are not JSON, too large or too deep.
    """
    adapted: dict[str, Any] | None = None
    for _ in range(_MAX_ROUNDS):
        text = encode_arguments(arguments if adapted is None else adapted, what)
        try:
            model.__pydantic_validator__.validate_json(text)
        except ValidationError as error:
            adapted = copy.deepcopy(dict(arguments)) if adapted is None else adapted
            found = error.errors(include_url=False, include_input=False, include_context=False)
            if not any([_adapt_value(adapted, one) for one in found]):  # noqa: C419 - every error is repaired, not the first
                break
        else:
            break
    return arguments if adapted is None else adapted


def _adapt_value(arguments: dict[str, Any], error: ErrorDetails) -> bool:
    """Change the value that an error is about; return True if it was changed."""
    place = _find_place(arguments, error["loc"])
    if place is None:
        return False
    holder, key = place
    value = holder[key]
    convert = _CONVERSIONS.get(error["type"])
    is_left_out = value is None or (value == "" and error["type"] in _EMPTY_ERRORS)
    if is_left_out and isinstance(holder, dict) and error["type"] != "extra_forbidden":  # a misspelt name is told
        changed = _ABSENT
    else:
        changed = convert(value) if convert is not None else _UNCHANGED
    if changed is _UNCHANGED:
        return False
    if changed is _ABSENT:
        del holder[key]
    else:
        holder[key] = changed
    return True


def _find_place(arguments: dict[str, Any], location: Sequence[int | str]) -> tuple[Any, Any] | None:
    """Return the object or list that holds a value, and its key there.

    The marks of union branches in the location are passed over.
    """
    place: tuple[Any, Any] | None = None
    here: Any = arguments
    for step in location:
        is_index = isinstance(step, int) and isinstance(here, list) and step < len(here)
        if is_index or (isinstance(step, str) and isinstance(here, dict) and step in here):
            place, here = (here, step), here[step]
    return place


def _to_integer(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _MAX_EXACT:
        return int(value)
    whole = _WHOLE_NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(whole[1]) if whole else _UNCHANGED


def _to_number(value: Any) -> Any:
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else _UNCHANGED


def _to_boolean(value: Any) -> Any:
    return _BOOLEANS.get(value.strip().lower(), _UNCHANGED) if isinstance(value, str) else _UNCHANGED


def _to_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _UNCHANGED


def _to_list(value: Any) -> Any:
    """Return the list that a text contains, or a list of the one value."""
    parsed = _parse_json(value, "[")
    if isinstance(parsed, list):
        return parsed
    return _UNCHANGED if isinstance(value, list) else [value]


def _to_object(value: Any) -> Any:
    parsed = _parse_json(value, "{")
    return parsed if isinstance(parsed, dict) else _UNCHANGED


def _parse_json(value: Any, opening: str) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith(opening):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "int_type": _to_integer,
    "float_type": _to_number,
    "bool_type": _to_boolean,
    "string_type": _to_text,
    "tuple_type": _to_list,
    "list_type": _to_list,
    "dict_type": _to_object,
    "model_type": _to_object,
}
"""Type of pydantic's error -> the conversion that answers it."""
