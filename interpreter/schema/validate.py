"""JSON values against JSON Schemas: every fault at once, each with its JSON path; hostile values bounded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import find_nearest, list_names

from .fast_path import compile_schema
from .regex import build_pattern_keywords, find_unexpected_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .fast_path import Predicate

MAX_DEPTH = 100
MAX_CHARACTERS = 1_000_000
MAX_FAULTS = 20


def to_canonical_json(value: Any) -> str:
    """The value as JSON text that is the same whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def find_excess(value: Any, *, depth: int = MAX_DEPTH, characters: int = MAX_CHARACTERS) -> str | None:
    """Why the value is too deep or too big to be looked at, or None; never recurses."""
    total = 0
    todo: list[tuple[Any, int]] = [(value, 1)]
    while todo:
        current, level = todo.pop()
        if level > depth:
            return f"it is nested more than {depth} deep"
        if isinstance(current, str):
            total += len(current)
        elif isinstance(current, dict):
            total += sum(len(str(key)) for key in current)
            todo.extend((item, level + 1) for item in current.values())
        elif isinstance(current, list | tuple):
            todo.extend((item, level + 1) for item in current)
        total += 2
        if total > characters:
            return f"it has more than {characters:,} characters"
    return None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One way in which a value does not fit.

    Attributes:
        steps: the way to it, keys and indexes.
        kind: the keyword of JSON Schema that it breaks.
        message: what is wrong, without the path.
        suggestion: the known key that an unexpected one most likely means.
    """

    steps: tuple[str | int, ...]
    kind: str
    message: str
    suggestion: str = ""


def find_faults(value: Any, schema: Mapping[str, Any], root: str = "$") -> list[dict[str, str]]:
    """What keeps the value from fitting the schema: `{path, message}` each, at most twenty, `$.a[0].b` paths."""
    found = [
        {"path": format_json_path(one.steps, root), "message": _format_mismatch(one)}
        for one in find_mismatches(value, schema)
    ]
    return sorted(found, key=lambda fault: fault["path"])


def find_mismatches(value: Any, schema: Mapping[str, Any]) -> list[Mismatch]:
    """The same as values: at most twenty, in the order in which the schema meets them."""
    if not schema:
        return []
    found: list[Mismatch] = []
    try:
        text = to_canonical_json(schema)
        if _load_fast_path(text)(value):
            return []
        for error in _select_leaf_errors(_load_validator(text).iter_errors(value)):
            found.extend(_convert_error(error))
            if len(found) >= MAX_FAULTS:
                break
    except RecursionError:
        return [Mismatch((), "depth", "is nested too deeply for its schema")]
    except Exception as error:  # noqa: BLE001 - a schema that nobody checked lets the library's own errors escape
        return [Mismatch((), "schema", _shorten_text(f"cannot be checked, for its schema is wrong: {error}"))]
    return found[:MAX_FAULTS]


def format_json_path(steps: Sequence[str | int], root: str = "$") -> str:
    """`$.a[0].b`; a key that is no word stands in brackets and quotes."""
    return root + "".join(_format_step(step) for step in steps)


def _format_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{json.dumps(step, ensure_ascii=False)}]"


_PLAIN_KEY = re.compile(r"[$\w][\w-]*")


def _format_mismatch(one: Mismatch) -> str:
    return f'{one.message} (did you mean "{one.suggestion}"?)' if one.suggestion else one.message


@lru_cache(maxsize=512)
def _load_fast_path(text: str) -> Predicate:
    return compile_schema(json.loads(text))


@lru_cache(maxsize=512)
def _load_validator(text: str) -> Any:
    from referencing import Registry  # noqa: PLC0415 - with jsonschema

    registry: Any = Registry()  # an empty one: nothing remote is ever read
    return _load_library()(json.loads(text), registry=registry)


@cache
def _load_library() -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 60 ms that listing tools must not pay
    from jsonschema.validators import extend  # noqa: PLC0415 - with the above

    return extend(Draft202012Validator, build_pattern_keywords())  # type: ignore[no-untyped-call]  # the library's own


def _select_leaf_errors(errors: Iterator[Any]) -> Iterator[Any]:
    """The errors that say what is wrong: under `anyOf` those of the branch that came nearest."""
    for error in errors:
        if error.context and error.validator in ("anyOf", "oneOf"):
            deepest = max(len(inner.path) for inner in error.context)
            nearest = [inner for inner in error.context if len(inner.path) == deepest and inner.path]
            yield from _select_leaf_errors(iter(nearest or [error])) if nearest else [error]
        else:
            yield error


def _convert_error(error: Any) -> Iterator[Mismatch]:
    steps = tuple(error.absolute_path)
    kind = str(error.validator)
    match kind:
        case "required":
            yield from _report_missing(error, steps)
        case "additionalProperties" if isinstance(error.instance, dict):
            yield from _report_unexpected(error, steps)
        case "type":
            wanted = error.validator_value
            wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
            yield Mismatch(steps, kind, f"must be {wanted}, not {_name_type(error.instance)}")
        case "enum":
            choices = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in error.validator_value)
            yield Mismatch(steps, kind, _shorten_text(f"{_show_value(error.instance)} is not one of {choices}"))
        case _:
            yield Mismatch(steps, kind, _describe_error(error))


def _report_missing(error: Any, steps: tuple[str | int, ...]) -> Iterator[Mismatch]:
    """The library tells each missing key by itself, and names it only in its text."""
    name = next((name for name in error.validator_value if error.message.startswith(f"{name!r} ")), "")
    yield Mismatch((*steps, name), "required", f'"{name}" is missing')


def _report_unexpected(error: Any, steps: tuple[str | int, ...]) -> Iterator[Mismatch]:
    known = error.schema.get("properties", {})
    for name in sorted(find_unexpected_keys(error.instance, error.schema)):
        choices = f"; expected one of {list_names(known)}" if known else ""
        message = f'unexpected key "{name}"{choices}'
        yield Mismatch((*steps, name), "additionalProperties", message, find_nearest(name, known) or "")


def _describe_error(error: Any) -> str:
    limit = error.validator_value
    count = len(error.instance) if hasattr(error.instance, "__len__") else 0
    texts = {
        "minLength": f"must have at least {limit} characters, not {count}",
        "maxLength": f"must have at most {limit} characters, not {count}",
        "minItems": f"must have at least {limit} items, not {count}",
        "maxItems": f"must have at most {limit} items, not {count}",
        "minimum": f"must be at least {limit}, not {_show_value(error.instance)}",
        "maximum": f"must be at most {limit}, not {_show_value(error.instance)}",
        "pattern": f"{_show_value(error.instance)} does not match the pattern {limit}",
        "uniqueItems": "has the same item twice",
        "const": f"must be {_show_value(limit)}, not {_show_value(error.instance)}",
        "exclusiveMinimum": f"must be more than {limit}, not {_show_value(error.instance)}",
        "exclusiveMaximum": f"must be less than {limit}, not {_show_value(error.instance)}",
        "multipleOf": f"must be a multiple of {limit}, not {_show_value(error.instance)}",
        "minProperties": f"must have at least {limit} keys, not {count}",
        "maxProperties": f"must have at most {limit} keys, not {count}",
        "contains": f"has not the items that it must contain: {_show_value(limit)}",
        "not": f"{_show_value(error.instance)} is what it must not be: {_show_value(limit)}",
        "anyOf": f"{_show_value(error.instance)} fits none of the schemas under anyOf",
        "None": "must not be there",  # the schema is `false`
        "oneOf": f"{_show_value(error.instance)} fits "
        f"{'none' if error.context else 'more than one'} of those under oneOf",
    }
    return _shorten_text(texts.get(str(error.validator), error.message))


def _show_value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"  # noqa: PLR2004 - what fits in a sentence


def _shorten_text(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "…"  # noqa: PLR2004 - what fits in a message


def _name_type(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null" if value is None else type(value).__name__)
