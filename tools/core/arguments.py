"""Arguments of a call: adapted to the schema, then validated, with one fault for all mistakes."""

from __future__ import annotations

import copy
import json
import math
import re
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from aurora.errors import Code, Fault, find_nearest, quote_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
        # As JSON and not as Python values: only so does the strict model take a list for a tuple, as in the call
        # itself.
        text = encode_arguments(arguments if adapted is None else adapted, what)
        try:
            model.__pydantic_validator__.validate_json(text)
        except ValidationError as error:
            # The repairs go into a copy, so that the caller's arguments stay as they were sent.
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
    # Above this, a float may stand for another whole number than was sent.
    if isinstance(value, float) and value.is_integer() and abs(value) <= _MAX_EXACT:
        return int(value)
    whole = _WHOLE_NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(whole[1]) if whole else _UNCHANGED


def _to_number(value: Any) -> Any:
    # A pattern and not `float` alone, which takes `nan`, `inf` and `1_000` too.
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

MAX_BYTES = 1_000_000
"""Size limit for the arguments of one call, in bytes of compact JSON."""


MAX_DEPTH = 100
"""Limit for nested objects and arrays; deeper ones break recursive readers."""


_MAX_FAULTS = 20

_MAX_INTEGER_BITS = 1024

ModelT = TypeVar("ModelT", bound=BaseModel)


def validate_arguments(model: type[ModelT], arguments: Mapping[str, Any], what: str) -> ModelT:
    """Validate JSON arguments strictly.

    Args:
        model: the pydantic model of the input.
        arguments: JSON values.
        what: the tool's name for the message: `mem.search`.

    Raises:
        Fault: INVALID_INPUT; `details.faults` lists each mistake with its JSON path, the expectation, and for an
            unknown key the nearest known one.
    """
    text = encode_arguments(arguments, what)
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise _make_invalid_fault(model, arguments, what, found) from None


def encode_arguments(arguments: Mapping[str, Any], what: str) -> bytes:
    """Return the arguments as compact JSON after a check of their types, size and depth.

    Raises:
        Fault: INVALID_INPUT.
    """
    size = 0
    waiting: list[tuple[Any, int]] = [(arguments, 1)]
    while waiting:  # an explicit stack, because depth would break recursion
        value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise _make_limit_fault(
                what, f"are nested more than {MAX_DEPTH} deep", f"at most {MAX_DEPTH} levels", "max_depth", MAX_DEPTH
            )
        inner, length = _inspect_value(value, what)
        # Counted while it is walked, so that a huge value is refused before a text of the same size is made of it.
        size += length
        if size > MAX_BYTES:
            raise _make_limit_fault(
                what, "are larger than 1 MB", f"at most {MAX_BYTES:,} bytes of JSON", "max_bytes", MAX_BYTES
            )
        waiting.extend((one, depth + 1) for one in inner)
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=dict)
    encoded = text.encode("utf-8", "surrogatepass")
    # Escapes and letters beyond ASCII take more bytes than were counted.
    if len(encoded) > MAX_BYTES:
        raise _make_limit_fault(
            what, "are larger than 1 MB", f"at most {MAX_BYTES:,} bytes of JSON", "max_bytes", MAX_BYTES
        )
    return encoded


def _inspect_value(value: Any, what: str) -> tuple[Iterable[Any], int]:
    """Return the values inside a value, and the number of its own characters."""
    if isinstance(value, str):
        return (), len(value)
    if value is None or isinstance(value, bool):
        return (), 4
    # Python writes the digits of a number in quadratic time.
    if isinstance(value, int) and value.bit_length() <= _MAX_INTEGER_BITS:
        return (), 1
    if isinstance(value, float) and math.isfinite(value):
        return (), 1
    if isinstance(value, list | tuple):
        return value, len(value)
    if hasattr(value, "items") and all(isinstance(key, str) for key in value):
        return value.values(), sum(len(key) + 1 for key in value)
    raise Fault(
        Code.INVALID_INPUT,
        f"the arguments of {what} contain a value that is not JSON",
        help="Send JSON values only: finite numbers of ordinary size, and strings as keys.",
        details={"faults": [{"path": "$", "expected": "JSON values"}]},
    )


def _make_limit_fault(what: str, problem: str, limit: str, key: str, value: int) -> Fault:
    return Fault(
        Code.INVALID_INPUT,
        f"the arguments of {what} {problem}",
        help=f"Send {limit} in one call.",
        details={"faults": [{"path": "$", "expected": limit}], key: value},
    )


def _make_invalid_fault(
    model: type[BaseModel], arguments: Mapping[str, Any], what: str, found: list[ErrorDetails]
) -> Fault:
    """Return one fault for all errors that pydantic found."""
    faults = [_describe_error(model, arguments, one) for one in found[:_MAX_FAULTS]]
    faults.sort(key=lambda one: "suggestion" not in one)  # a misspelled name first: it explains a missing one
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    names = quote_names(_list_fields(model))
    return Fault(
        Code.INVALID_INPUT,
        f"{what}: {faults[0]['message']}{more}",
        help=f"It takes {names}." if names else "It takes no arguments.",
        details={"faults": faults, "total": len(found)},
    )


def _describe_error(model: type[BaseModel], arguments: Mapping[str, Any], error: ErrorDetails) -> dict[str, Any]:
    path, leaf = _locate_error(arguments, error)
    expected = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        known = _list_fields(model) if path == f"$.{leaf}" else ()
        guess = find_nearest(leaf, known)
        aside = f'; did you mean "{guess}"?' if guess else ""
        expected = f"one of {quote_names(known)}" if known else "no such key"
        told: dict[str, Any] = {"path": path, "message": f'unknown argument "{leaf[:80]}"{aside}', "expected": expected}
        return {**told, "suggestion": guess} if guess else told
    if error["type"] == "missing":
        return {"path": path, "message": f'"{leaf}" is missing', "expected": "a value for it"}
    if error["type"] == "json_invalid":
        # After `encode_arguments`, only a lone surrogate can be wrong.
        said = "a text contains half of a character (a lone surrogate), which is not valid JSON"
        return {"path": "$", "message": said, "expected": "valid Unicode JSON"}
    return {"path": path, "message": f"{_quote_path(path)} {_rephrase_message(error['msg'])}", "expected": expected}


def _rephrase_message(message: str) -> str:
    """Return pydantic's message without its subject ("Input", "String"), to follow the field's name."""
    if message.startswith("Value error, "):
        return f"is wrong: {message.removeprefix('Value error, ')}"
    return f"should {message.split(' should ', 1)[-1]}"


def _quote_path(path: str) -> str:
    return f'"{path.removeprefix("$.")}"' if path != "$" else "the input"


def _locate_error(arguments: Any, error: ErrorDetails) -> tuple[str, str]:
    """Return the JSON path of an error and its last key, without pydantic's marks of union branches."""
    path, leaf, here = "$", "", arguments
    absent_is_news = error["type"] in {"missing", "extra_forbidden"}
    for step in error["loc"]:
        if isinstance(step, int) and isinstance(here, list | tuple) and step < len(here):
            path, here = f"{path}[{step}]", here[step]
        elif isinstance(step, str) and hasattr(here, "items") and (step in here or absent_is_news):
            path, leaf, here = f"{path}.{step[:80]}", step, here.get(step)
    return path, leaf


def _list_fields(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(sorted(field.alias or name for name, field in model.model_fields.items()))
