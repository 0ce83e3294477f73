"""Validation of JSON values, with every mismatch at once and its path."""

from __future__ import annotations

import json
import marshal
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from aurora.interpreter.expressions.meter import charge_work

from .json_values import find_excess, format_json_path, to_canonical_json
from .mismatch import MAX_ERRORS, Mismatch, convert_errors, shorten_message
from .regex import limit_patterns
from .validator import compile_schema, to_unicode
from .work import MAX_REPORTED_WORK, MAX_WORK, is_obviously_small, measure_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jsonschema_rs import ValidationError, Validator

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
    if not is_obviously_small(text, size):
        work = measure_schema(text).measure(value, MAX_WORK)
        charge_work(work // 5)
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
    work = measure_schema(text)
    if work.measure(value, MAX_REPORTED_WORK) <= MAX_REPORTED_WORK:
        return list(islice(validator.iter_errors(value), MAX_ERRORS))
    if not work.has_branches:
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
