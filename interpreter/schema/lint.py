"""What keeps a JSON Schema from being one that may be used here, every fault at once."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import did_you_mean, list_names

from .validate import find_excess, find_mismatches, to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator

Steps = tuple[str | int, ...]

JSON_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
DATA_KEYWORDS = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data: what looks like a schema in there is none."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One fault: the way to it in the schema, and what is wrong."""

    steps: Steps
    reason: str
    help: str = ""


def find_schema_faults(schema: Any) -> tuple[SchemaFault, ...]:
    """Every fault of the schema; none means that values can be checked against it without surprise."""
    deep = find_excess(schema)
    if deep:
        return (SchemaFault((), f"{deep}, which is more than a schema may be"),)
    return _lint_text(to_canonical_json(schema))


@lru_cache(maxsize=1024)
def _lint_text(text: str) -> tuple[SchemaFault, ...]:
    """By the schema's text, for the phases of a workflow say the same of their inputs over and over."""
    schema = json.loads(text)
    found = list(_check_meta_schema(schema)) or [*_check_references(schema), *_check_patterns(schema)]
    return tuple(found or _check_by_trial(schema))


def _check_meta_schema(schema: Any) -> Iterator[SchemaFault]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 60 ms that listing tools must not pay

    seen: set[Steps] = set()
    for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
        steps = tuple(error.absolute_path)
        if steps not in seen:  # the standard is made of parts, and each part finds it
            seen.add(steps)
            yield _describe_error(steps, error)


def _describe_error(steps: Steps, error: Any) -> SchemaFault:
    value = error.instance
    if steps and steps[-1] == "type" and error.validator == "anyOf":
        wrong = next((one for one in (value if isinstance(value, list) else [value]) if one not in JSON_TYPES), value)
        if isinstance(wrong, str):
            reason = f'"{wrong}" is no type; expected one of {list_names(JSON_TYPES)}'
            return SchemaFault(steps, reason, did_you_mean(wrong, JSON_TYPES))
        return SchemaFault(steps, f'"type" is a name or a list of names; expected one of {list_names(JSON_TYPES)}')
    if error.validator == "type":
        wanted = error.validator_value
        wanted = "a schema" if wanted == ["object", "boolean"] else f"of type {wanted}"
        name = f'"{steps[-1]}"' if steps and isinstance(steps[-1], str) else "it"
        return SchemaFault(steps, f"{name} must be {wanted}, as JSON Schema 2020-12 has it")
    return SchemaFault(steps, str(error.message)[:200])


def _check_references(schema: Any) -> Iterator[SchemaFault]:
    from referencing import Registry  # noqa: PLC0415 - with jsonschema
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - as above

    try:
        resource = DRAFT202012.create_resource(schema)
        base = resource.id() or ""
        registry: Any = Registry().with_resource(base, resource).crawl()
        resolver = registry.resolver(base)
    except Exception as error:  # noqa: BLE001 - the library lets the errors of its parts escape on an odd `$id`
        yield SchemaFault((), f'its "$id" cannot be read: {error}', "leave it out")
        return
    for steps, inner in _iterate_mappings(schema):
        for key in ("$ref", "$dynamicRef"):
            if isinstance(inner.get(key), str):
                yield from _check_reference(_make_resolver(resolver, schema, steps), inner[key], (*steps, key))


def _make_resolver(resolver: Any, schema: Any, steps: Steps) -> Any:
    """A schema within, that has an `$id`, is where the references under it count from."""
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - with jsonschema

    for step in steps:
        schema = schema[step]
        if isinstance(schema, dict) and isinstance(schema.get("$id"), str):
            resolver = resolver.in_subresource(DRAFT202012.create_resource(schema))
    return resolver


def _check_reference(resolver: Any, target: str, steps: Steps) -> Iterator[SchemaFault]:
    try:
        found = resolver.lookup(target).contents
    except Exception:  # noqa: BLE001 - besides its own errors the library lets those of URLs and pointers escape
        if target.startswith("#"):
            yield SchemaFault(steps, f'"{target}" leads nowhere', "a reference looks like `#/$defs/NAME`")
        else:
            reason = f'"{target}" is outside of this schema, and nothing outside is read'
            yield SchemaFault(steps, reason, "copy it under `$defs`, and refer to `#/$defs/NAME`")
        return
    at_home = target == "#" or target.startswith(("#/$defs/", "#/definitions/"))
    if not at_home and next(_check_meta_schema(found), None) is not None:
        yield SchemaFault(steps, f'"{target}" leads to something that is no schema', "refer to `#/$defs/NAME`")


def _check_patterns(schema: Any) -> Iterator[SchemaFault]:
    for steps, inner in _iterate_mappings(schema):
        several = inner.get("patternProperties")
        patterns: list[tuple[Steps, Any]] = [(("pattern",), inner.get("pattern"))]
        patterns += [(("patternProperties", key), key) for key in (several if isinstance(several, dict) else ())]
        for way, pattern in patterns:
            if not isinstance(pattern, str):
                continue
            try:
                re.compile(pattern)
            except (re.error, RecursionError, OverflowError) as error:
                yield SchemaFault((*steps, *way), f'"{pattern}" is no regular expression: {error}')


def _iterate_mappings(schema: Any) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Every mapping in the schema that is not data, with the way to it."""
    todo: list[tuple[Steps, Any]] = [((), schema)]
    while todo:
        steps, current = todo.pop()
        if isinstance(current, dict):
            yield steps, current
            named = bool(steps) and steps[-1] in ("properties", "$defs", "patternProperties")
            todo.extend(((*steps, key), item) for key, item in current.items() if named or key not in DATA_KEYWORDS)
        elif isinstance(current, list):
            todo.extend(((*steps, index), item) for index, item in enumerate(current))


def _check_by_trial(schema: Any) -> Iterator[SchemaFault]:
    """What comes of checking the simplest of values: it may come to no end, or to an error of the library's own."""
    for one in find_mismatches(None, schema):
        if one.kind == "depth":
            reason = 'its "$ref" leads back to itself without end'
            yield SchemaFault((), reason, 'put a keyword such as "properties" between the two')
        elif one.kind == "schema":
            yield SchemaFault((), one.message)
