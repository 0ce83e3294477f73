"""Checks of JSON Schemas, and schemas that are plainly right.

Most schemas of a workflow are of this kind. Whatever examines schemas finds nothing in one, so that it need not look.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.errors import check_cancelled
from aurora.interpreter.problems import did_you_mean, list_names

from .json_values import Steps, find_excess, to_canonical_json
from .validate import MAX_VALUE, describe_error
from .validator import (
    OUTSIDE,
    RefusedPatternError,
    compile_pattern,
    compile_schema,
    create_resolver,
    find_target,
    to_unicode,
)
from .work import MAX_VISITS, REFERENCES, LoopError, weigh_references

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jsonschema_rs import Resolver, ValidationError

JSON_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


DATA_KEYWORDS = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data: what looks like a schema in them is not one."""


_META_SCHEMA = '{"$ref":"https://json-schema.org/draft/2020-12/schema"}'

_NAMED_SCHEMAS = ("properties", "$defs", "patternProperties")


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One fault of a schema: its path, the reason and the help."""

    steps: Steps
    reason: str
    help: str = ""


def find_schema_faults(schema: Any) -> tuple[SchemaFault, ...]:
    """List every fault of the schema; without one, any value can be validated."""
    excess = find_excess(schema)
    if excess:
        return (SchemaFault((), f"{excess}, which is more than a schema may be"),)
    return _lint_text(to_unicode(to_canonical_json(schema)))


@lru_cache(maxsize=1024)
def _lint_text(text: str) -> tuple[SchemaFault, ...]:
    """Cache by text, because the phases of a workflow repeat their inputs."""
    schema = json.loads(text)
    found = list(_check_meta_schema(schema)) or [*_check_references(schema), *_check_patterns(schema)]
    return tuple(found or _check_by_compiling(text))


def _check_meta_schema(schema: Any) -> Iterator[SchemaFault]:
    seen: set[Steps] = set()
    for error in compile_schema(_META_SCHEMA).iter_errors(schema):
        steps = tuple(error.instance_path)
        if steps not in seen:  # the standard consists of parts, and each part reports the fault
            seen.add(steps)
            yield _convert_error(steps, error)


def _convert_error(steps: Steps, error: ValidationError) -> SchemaFault:
    value, keyword = error.instance, error.kind.name
    if steps and steps[-1] == "type" and keyword == "anyOf":
        return _report_type(steps, value)
    name = f'"{steps[-1]}"' if steps and isinstance(steps[-1], str) else "it"
    if keyword == "type":
        types = error.kind.value
        wanted = "a schema" if len(types) > 1 else f"of type {types[0]}"
        return SchemaFault(steps, f"{name} must be {wanted}, as JSON Schema 2020-12 has it")
    return SchemaFault(steps, f"{name} {describe_error(error, value, error.kind.value)}")


def _report_type(steps: Steps, value: Any) -> SchemaFault:
    names = value if isinstance(value, list) else [value]
    wrong = next((name for name in names if name not in JSON_TYPES), value)
    if not isinstance(wrong, str):
        return SchemaFault(steps, f'"type" is a name or a list of names; expected one of {list_names(JSON_TYPES)}')
    reason = f'"{wrong}" is not a type; expected one of {list_names(JSON_TYPES)}'
    return SchemaFault(steps, reason, did_you_mean(wrong, JSON_TYPES))


def _check_references(schema: Any) -> Iterator[SchemaFault]:
    found = list(_iterate_references(schema))
    try:
        resolver = create_resolver(schema)
    except ValueError as error:  # an address is not a URI
        outside = [_report_missing(steps, target) for steps, target in found if not target.startswith("#")]
        yield from outside or [SchemaFault((), f'its "$id" cannot be read: {error}', "leave it out")]
        return
    known: dict[tuple[str, str], SchemaFault | None] = {}  # the library converts the whole target at each look-up
    for steps, target in found:
        check_cancelled()
        inside = _enter_subschema(resolver, schema, steps[:-1])
        key = inside.base_uri, target
        if key not in known:
            known[key] = next(_check_reference(inside, target, steps), None)
        fault = known[key]
        if fault is not None:
            yield replace(fault, steps=steps)


def _check_reference(resolver: Resolver, target: str, steps: Steps) -> Iterator[SchemaFault]:
    found = find_target(resolver, target)
    # What is there was checked as a part of the schema; elsewhere
    # a reference can lead to data, as under `enum`.
    at_home = target == "#" or target.startswith(("#/$defs/", "#/definitions/"))
    if found == OUTSIDE:
        yield _report_missing(steps, target)
    elif not at_home and next(_check_meta_schema(found), None) is not None:
        yield SchemaFault(steps, f'"{target}" leads to something that is not a schema', "refer to `#/$defs/NAME`")


def _report_missing(steps: Steps, target: str) -> SchemaFault:
    if target.startswith("#"):
        return SchemaFault(steps, f'"{target}" leads nowhere', "a reference looks like `#/$defs/NAME`")
    reason = f'"{target}" is outside of this schema, and nothing outside is read'
    return SchemaFault(steps, reason, "copy it under `$defs`, and refer to `#/$defs/NAME`")


def _enter_subschema(resolver: Resolver, schema: Any, steps: Steps) -> Resolver:
    """Return the resolver for a subschema; every `$id` on the path changes the base."""
    for step in steps:
        schema = schema[step]
        if isinstance(schema, dict) and isinstance(schema.get("$id"), str):
            resolver = resolver.lookup(schema["$id"]).resolver
    return resolver


def _check_patterns(schema: Any) -> Iterator[SchemaFault]:
    for steps, inner in _iterate_mappings(schema):
        for further, pattern in _list_patterns(inner):
            check_cancelled()
            try:
                compile_pattern(pattern)
            except RefusedPatternError as error:
                yield SchemaFault((*steps, *further), f'"{pattern[:MAX_VALUE]}" {error}', error.help)


def _list_patterns(schema: dict[str, Any]) -> list[tuple[Steps, str]]:
    found: list[tuple[Steps, str]] = []
    pattern, properties = schema.get("pattern"), schema.get("patternProperties")
    if isinstance(pattern, str):
        found.append((("pattern",), pattern))
    if isinstance(properties, dict):
        found.extend((("patternProperties", key), key) for key in properties)
    return found


def _check_by_compiling(text: str) -> Iterator[SchemaFault]:
    try:
        compile_schema(text)
    except ValueError as error:
        yield SchemaFault((), f"it cannot be used: {getattr(error, 'message', None) or error}")
        return
    try:
        most = weigh_references(json.loads(text))
    except LoopError:
        reason = 'its "$ref" leads back to itself without end'
        yield SchemaFault((), reason, 'put a keyword such as "properties" between the two')
        return
    if most > MAX_VISITS:
        reason = f"one value would be compared with its parts, over and over, more than {MAX_VISITS:,} times"
        yield SchemaFault((), reason, "refer to each definition once, and shorten long lists under `enum`")


def _iterate_references(schema: Any) -> Iterator[tuple[Steps, str]]:
    for steps, inner in _iterate_mappings(schema):
        for key in REFERENCES:
            if isinstance(inner.get(key), str):
                yield (*steps, key), inner[key]


def _iterate_mappings(schema: Any) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Yield every mapping in the schema that is not data, with its path."""
    todo: list[tuple[Steps, Any]] = [((), schema)]
    while todo:
        steps, current = todo.pop()
        if isinstance(current, dict):
            yield steps, current
            is_named = bool(steps) and steps[-1] in _NAMED_SCHEMAS
            todo.extend(((*steps, key), item) for key, item in current.items() if is_named or key not in DATA_KEYWORDS)
        elif isinstance(current, list):
            todo.extend(((*steps, index), item) for index, item in enumerate(current))


MAX_PLAIN_TEXT = 5_000
"""Characters of a plain schema; what is longer is examined."""


_MAX_DEPTH = 8

_MAX_NAMES = 100

_SCALARS = frozenset({"boolean", "integer", "number", "string"})

_SCALAR_TYPES: dict[str, type] = {"boolean": bool, "string": str}

_ENUM_KEYS = frozenset({"type", "enum"})

_ITEM_KEYS = frozenset({"type", "items"})

_OBJECT_KEYS = frozenset({"type", "properties", "required", "additionalProperties"})


def is_plain_schema(schema: Any, text: str) -> bool:
    """Return whether a schema is plainly right.

    Args:
        schema: the schema.
        text: its `repr`.
    """
    return len(text) <= MAX_PLAIN_TEXT and text.isascii() and "\\" not in text and is_plain_part(schema)


def is_plain_part(schema: Any, depth: int = 0) -> bool:
    """Return whether a schema, of a length that is known to be small, is plainly right."""
    if schema.__class__ is not dict or depth > _MAX_DEPTH:
        return False
    kind = schema.get("type")
    if "enum" in schema:
        return kind in (None, "string") and schema.keys() <= _ENUM_KEYS and _has_different_texts(schema["enum"])
    if kind == "object":
        return _is_plain_object(schema, depth)
    if kind == "array":
        return schema.keys() <= _ITEM_KEYS and ("items" not in schema or is_plain_part(schema["items"], depth + 1))
    return kind.__class__ is str and kind in _SCALARS and len(schema) == 1


def _is_plain_object(schema: Mapping[str, Any], depth: int) -> bool:
    fields, required = schema.get("properties", {}), schema.get("required", [])
    if not schema.keys() <= _OBJECT_KEYS or schema.get("additionalProperties", True).__class__ is not bool:
        return False
    if fields.__class__ is not dict or len(fields) > _MAX_NAMES or not _has_names_of(required, fields):
        return False
    return all(is_plain_part(inner, depth + 1) for inner in fields.values())


def _has_names_of(required: Any, fields: Mapping[str, Any]) -> bool:
    """Return whether `required` lists fields, each once."""
    if required.__class__ is not list:
        return False
    return not required or (_has_different_texts(required) and all(map(fields.__contains__, required)))


def _has_different_texts(values: Any) -> bool:
    is_short = values.__class__ is list and 0 < len(values) <= _MAX_NAMES
    return is_short and all(value.__class__ is str for value in values) and len(set(values)) == len(values)


def fits_plain_schema(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value plainly fits a plain schema; False where that takes more than a look."""
    if "enum" in schema:
        return value.__class__ is str and value in schema["enum"]
    return value.__class__ is _SCALAR_TYPES.get(schema.get("type", ""))
