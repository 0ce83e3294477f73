"""Validation of JSON values, with every mismatch at once, its path and words for a person."""

from __future__ import annotations

import json
import marshal
import math
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from aurora.interpreter.expressions.meter import charge_work
from aurora.interpreter.problems import find_nearest, list_names

from .json_values import find_excess, format_json_path, to_canonical_json
from .validator import compile_schema, limit_patterns, to_unicode
from .work import MAX_REPORTED_WORK, MAX_WORK, bound_work, count_comparisons

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from jsonschema_rs import ValidationError, Validator

    from .json_values import Steps

MAX_FAULTS = 20


MAX_VALIDATED_DEPTH = 1000
"""The library recurses in native code: a value of some ten thousand levels would end the process."""


_VALIDATION_WORK = 50
"""Work of a validation without its comparisons, in steps of an evaluation."""


def find_faults(value: Any, schema: Mapping[str, Any], root: str = "$") -> list[dict[str, str]]:
    """List why the value does not fit the schema, at most twenty reasons.

    Returns:
        `{path, message}` of each, sorted by path; paths are written as `$.a[0].b`, where `root` replaces `$`.
    """
    found = [
        {"path": format_json_path(mismatch.steps, root), "message": _format_mismatch(mismatch)}
        for mismatch in find_mismatches(value, schema)
    ]
    return sorted(found, key=lambda fault: fault["path"])


def find_mismatches(value: Any, schema: Mapping[str, Any]) -> list[Mismatch]:
    """List why the value does not fit the schema, at most twenty mismatches."""
    if not schema:
        return []
    try:
        text = to_unicode(to_canonical_json(schema))
        size = _measure_bytes(value)
        charge_work(_VALIDATION_WORK + (len(text) + (size or 0)) // 16)
        if size is None:
            return [Mismatch((), "depth", "is nested too deeply for its schema")]
        return _validate(value, text, size)
    except RecursionError:
        return [Mismatch((), "depth", "is nested too deeply for its schema")]
    except ValueError as error:  # an unchecked schema
        reason = getattr(error, "message", None) or str(error)
        return [Mismatch((), "schema", shorten_message(f"cannot be checked, because its schema is wrong: {reason}"))]


def _validate(value: Any, text: str, size: int) -> list[Mismatch]:
    validator = compile_schema(text)
    work = bound_work(value, text, size)
    charge_work(work // 1000)  # a bound of the most; ordinary values need a hundredth
    if work > MAX_WORK:
        return [Mismatch((), "size", "is too large for its schema, which compares its parts too often")]
    limit_patterns()
    try:
        if validator.is_valid(value):
            return []
        errors = _list_errors(validator, value, text)
    except ValueError:  # half surrogates, or keys that are not texts
        value = json.loads(to_unicode(json.dumps(value, ensure_ascii=False)))
        if validator.is_valid(value):
            return []
        errors = _list_errors(validator, value, text)
    if not errors:
        return [Mismatch((), "schema", "does not fit its schema, and is too large to find out where")]
    return convert_errors(errors, value, json.loads(text))[:MAX_FAULTS]


def _list_errors(validator: Validator, value: Any, text: str) -> list[ValidationError]:
    """List errors; of a large value the first, or none where it has branches."""
    if count_comparisons(value, text, MAX_REPORTED_WORK) <= MAX_REPORTED_WORK:
        return list(islice(validator.iter_errors(value), MAX_ERRORS))
    if '"anyOf"' not in text and '"oneOf"' not in text:  # an error of these contains those of all branches
        try:
            validator.validate(value)
        except ValueError as error:
            if not hasattr(error, "schema_path"):  # not an error of the value
                raise
            return [cast("ValidationError", error)]
    return []


def _measure_bytes(value: Any) -> int | None:
    """Return the bytes of the value, at least as many as its parts; None when it is too deep.

    Raises:
        ValueError: the value contains itself.
    """
    try:
        return len(marshal.dumps(value))
    except ValueError:
        is_deep = find_excess(value, depth=MAX_VALIDATED_DEPTH, characters=2**62) is not None
        return None if is_deep else MAX_WORK


def _format_mismatch(mismatch: Mismatch) -> str:
    if not mismatch.suggestion:
        return mismatch.message
    return f'{mismatch.message} (did you mean "{mismatch.suggestion}"?)'


MAX_VALUE = 60
"""Characters of a value in a message."""


MAX_MESSAGE = 300


MAX_ERRORS = 1000
"""Errors of a value that are converted, of which a few are reported; a list of 100,000 wrong items has as many."""


MAX_CHOICES = MAX_MESSAGE
"""Values of an `enum` in a message, before it is cut."""


MAX_NAMES = 100
"""Unexpected keys of one object that are converted, each with the similar one."""


_MESSAGES = {
    "minLength": "must have at least {limit} characters, not {count}",
    "maxLength": "must have at most {limit} characters, not {count}",
    "minItems": "must have at least {limit} items, not {count}",
    "maxItems": "must have at most {limit} items, not {count}",
    "minProperties": "must have at least {limit} keys, not {count}",
    "maxProperties": "must have at most {limit} keys, not {count}",
    "minimum": "must be at least {limit}, not {value}",
    "maximum": "must be at most {limit}, not {value}",
    "exclusiveMinimum": "must be more than {limit}, not {value}",
    "exclusiveMaximum": "must be less than {limit}, not {value}",
    "multipleOf": "must be a multiple of {limit}, not {value}",
    "uniqueItems": "has the same item twice",
    "const": "must be {limit}, not {value}",
    "contains": "does not contain the required items: {limit}",
    "not": "{value} matches the schema under not: {limit}",
    "anyOf": "{value} fits none of the schemas under anyOf",
    "oneOf": "{value} fits none of the schemas under oneOf",
}

_MISSING = object()

_TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}

_ONE_OF_MANY = re.compile(r"\b(least|most) 1 (character|item|key)s\b")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One way in which a value does not fit its schema.

    Attributes:
        steps: the path to the wrong part, keys and indexes.
        kind: the keyword of JSON Schema that it breaks; `depth`, or `schema` if the schema itself is wrong.
        message: what is wrong, without the path.
        suggestion: the known key that an unexpected one most likely means.
    """

    steps: Steps
    kind: str
    message: str
    suggestion: str = ""


def convert_errors(errors: Iterable[ValidationError], value: Any, schema: Any) -> list[Mismatch]:
    """Convert the library's errors, sorted by path and keyword."""
    found: list[Mismatch] = []
    for error in islice(_select_leaf_errors(errors), MAX_ERRORS):
        found.extend(_convert_error(error, _follow_path(value, error.instance_path, error.instance), schema))
    return sorted(found, key=_sort_key)


def describe_error(error: ValidationError, value: Any, limit: Any) -> str:
    """Describe what is wrong with the value, without its path.

    Args:
        error: the library's error.
        value: the wrong part of the value.
        limit: what the broken keyword says.
    """
    match type(error.kind).__name__:
        case "Type":
            wanted = " or ".join(limit) if isinstance(limit, list) else limit
            return f"must be {wanted}, not {_name_type(value)}"
        case "Enum":
            choices = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in limit[:MAX_CHOICES])
            return shorten_message(f"{_show_value(value)} is not one of {choices}")
        case "Custom":
            return shorten_message(f"{_show_value(value)} {error.message}")
        case "OneOfMultipleValid":
            return f"{_show_value(value)} fits more than one of the schemas under oneOf"
    message = _MESSAGES.get(error.kind.name)
    if message is None:
        return shorten_message(error.message)
    count = len(value) if isinstance(value, str | list | dict) else 0
    shown = str(limit) if isinstance(limit, int | float) and not isinstance(limit, bool) else _show_value(limit)
    said = message.format(limit=shown, count=count, value=_show_value(value))
    return shorten_message(_ONE_OF_MANY.sub(r"\1 1 \2", said))


def shorten_message(text: str) -> str:
    """Cut a message that is too long to read."""
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 3]}…"


def _sort_key(mismatch: Mismatch) -> tuple[list[tuple[bool, str | int]], str]:
    return [(isinstance(step, str), step) for step in mismatch.steps], mismatch.kind


def _select_leaf_errors(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """Yield the errors that name the cause: of `anyOf`, those of the best branch."""
    for error in errors:
        inner = _list_branch_errors(error)
        deepest = max((len(cause.instance_path) for cause in inner), default=0)
        if deepest > len(error.instance_path):
            yield from _select_leaf_errors(cause for cause in inner if len(cause.instance_path) == deepest)
        else:
            yield error


def _list_branch_errors(error: ValidationError) -> list[ValidationError]:
    if type(error.kind).__name__ not in ("AnyOf", "OneOfNotValid"):
        return []
    return [cause for branch in error.kind.value for cause in branch]


def _convert_error(error: ValidationError, value: Any, schema: Any) -> Iterator[Mismatch]:
    steps, keyword = tuple(error.instance_path), error.kind.name
    match type(error.kind).__name__:
        case "Required":
            name = error.kind.value
            yield Mismatch((*steps, name), keyword, f'"{name}" is missing')
        case "AdditionalProperties":
            known = _follow_path(schema, [*error.schema_path[:-1], "properties"], {})
            choices = f"; expected one of {list_names(known)}" if known else ""
            for name in sorted(error.kind.value)[:MAX_NAMES]:
                message = f'unexpected key "{name}"{choices}'
                yield Mismatch((*steps, name), keyword, message, find_nearest(name, known) or "")
        case "FalseSchema":
            yield Mismatch(steps, keyword, "must not be there")
        case _:
            limit = _follow_path(schema, error.schema_path, _MISSING)
            if limit is _MISSING:  # not before, because the library copies the values of an `enum` for each error
                limit = error.kind.value
            yield Mismatch(steps, keyword, describe_error(error, value, limit))


def _follow_path(document: Any, steps: Iterable[str | int], default: Any) -> Any:
    """Return the part of a document at a path.

    The library omits keys that are empty texts from its paths; then it is the default.
    """
    try:
        for step in steps:
            document = document[step]
    except (KeyError, IndexError, TypeError):
        return default
    return document


def _show_value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}…"


def _name_type(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinity"
    return _TYPE_NAMES.get(type(value), "null" if value is None else type(value).__name__)
