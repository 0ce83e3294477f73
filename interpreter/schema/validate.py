"""Validation of JSON values, with every mismatch at once and its path."""

from __future__ import annotations

import json
import marshal
from itertools import islice
from typing import TYPE_CHECKING, Any

from .json_values import find_excess, format_json_path, to_canonical_json
from .mismatch import MAX_ERRORS, Mismatch, convert_errors, shorten_message
from .validator import compile_schema, to_unicode

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_FAULTS = 20
MAX_VALIDATED_DEPTH = 1000
"""The library recurses in native code: a value of some ten thousand levels would end the process."""


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
        if _is_too_deep(value):
            return [Mismatch((), "depth", "is nested too deeply for its schema")]
        return _validate(value, text)
    except RecursionError:
        return [Mismatch((), "depth", "is nested too deeply for its schema")]
    except ValueError as error:  # an unchecked schema
        reason = getattr(error, "message", None) or str(error)
        return [Mismatch((), "schema", shorten_message(f"cannot be checked, because its schema is wrong: {reason}"))]


def _validate(value: Any, text: str) -> list[Mismatch]:
    validator = compile_schema(text)
    try:
        if validator.is_valid(value):
            return []
        errors = list(islice(validator.iter_errors(value), MAX_ERRORS))
    except ValueError:  # half surrogates, or keys that are not texts
        value = json.loads(to_unicode(json.dumps(value, ensure_ascii=False)))
        errors = list(islice(validator.iter_errors(value), MAX_ERRORS))
    return convert_errors(errors, value, json.loads(text))[:MAX_FAULTS]


def _is_too_deep(value: Any) -> bool:
    """Return whether the value is too deep; marshal clears most in a microsecond."""
    try:
        marshal.dumps(value)
    except ValueError:
        return find_excess(value, depth=MAX_VALIDATED_DEPTH, characters=2**62) is not None
    return False


def _format_mismatch(mismatch: Mismatch) -> str:
    if not mismatch.suggestion:
        return mismatch.message
    return f'{mismatch.message} (did you mean "{mismatch.suggestion}"?)'
