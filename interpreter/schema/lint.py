"""What keeps a JSON Schema from being one that may be used here, every fault at once."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems.suggestions import did_you_mean, listed

from .validate import canonical, mismatches, too_much

if TYPE_CHECKING:
    from collections.abc import Iterator

Steps = tuple[str | int, ...]

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data: what looks like a schema in there is none."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One fault: the way to it in the schema, and what is wrong."""

    steps: Steps
    reason: str
    help: str = ""


def schema_faults(schema: Any) -> tuple[SchemaFault, ...]:
    """Every fault of the schema; none means that values can be checked against it without surprise."""
    deep = too_much(schema)
    if deep:
        return (SchemaFault((), f"{deep}, which is more than a schema may be"),)
    return _faults(canonical(schema))


@lru_cache(maxsize=1024)
def _faults(text: str) -> tuple[SchemaFault, ...]:
    """By the schema's text, for the phases of a workflow say the same of their inputs over and over."""
    schema = json.loads(text)
    found = list(_against_the_standard(schema)) or [*_references(schema), *_patterns(schema)]
    return tuple(found or _tried(schema))


def _against_the_standard(schema: Any) -> Iterator[SchemaFault]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 60 ms that listing tools must not pay

    seen: set[Steps] = set()
    for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
        steps = tuple(error.absolute_path)
        if steps not in seen:  # the standard is made of parts, and each part finds it
            seen.add(steps)
            yield _worded(steps, error)


def _worded(steps: Steps, error: Any) -> SchemaFault:
    value = error.instance
    if steps and steps[-1] == "type" and error.validator == "anyOf":
        wrong = next((one for one in (value if isinstance(value, list) else [value]) if one not in TYPES), value)
        if isinstance(wrong, str):
            reason = f'"{wrong}" is no type; expected one of {listed(TYPES)}'
            return SchemaFault(steps, reason, did_you_mean(wrong, TYPES))
        return SchemaFault(steps, f'"type" is a name or a list of names; expected one of {listed(TYPES)}')
    if error.validator == "type":
        wanted = error.validator_value
        wanted = "a schema" if wanted == ["object", "boolean"] else f"of type {wanted}"
        name = f'"{steps[-1]}"' if steps and isinstance(steps[-1], str) else "it"
        return SchemaFault(steps, f"{name} must be {wanted}, as JSON Schema 2020-12 has it")
    return SchemaFault(steps, str(error.message)[:200])


def _references(schema: Any) -> Iterator[SchemaFault]:
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
    for steps, inner in _inside(schema):
        for key in ("$ref", "$dynamicRef"):
            if isinstance(inner.get(key), str):
                yield from _reference(_resolver_at(resolver, schema, steps), inner[key], (*steps, key))


def _resolver_at(resolver: Any, schema: Any, steps: Steps) -> Any:
    """A schema within, that has an `$id`, is where the references under it count from."""
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - with jsonschema

    for step in steps:
        schema = schema[step]
        if isinstance(schema, dict) and isinstance(schema.get("$id"), str):
            resolver = resolver.in_subresource(DRAFT202012.create_resource(schema))
    return resolver


def _reference(resolver: Any, target: str, steps: Steps) -> Iterator[SchemaFault]:
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
    if not at_home and next(_against_the_standard(found), None) is not None:
        yield SchemaFault(steps, f'"{target}" leads to something that is no schema', "refer to `#/$defs/NAME`")


def _patterns(schema: Any) -> Iterator[SchemaFault]:
    for steps, inner in _inside(schema):
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


def _inside(schema: Any) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Every mapping in the schema that is not data, with the way to it."""
    todo: list[tuple[Steps, Any]] = [((), schema)]
    while todo:
        steps, current = todo.pop()
        if isinstance(current, dict):
            yield steps, current
            named = bool(steps) and steps[-1] in ("properties", "$defs", "patternProperties")
            todo.extend(((*steps, key), item) for key, item in current.items() if named or key not in DATA)
        elif isinstance(current, list):
            todo.extend(((*steps, index), item) for index, item in enumerate(current))


def _tried(schema: Any) -> Iterator[SchemaFault]:
    """What comes of checking the simplest of values: it may come to no end, or to an error of the library's own."""
    for one in mismatches(None, schema):
        if one.kind == "depth":
            reason = 'its "$ref" leads back to itself without end'
            yield SchemaFault((), reason, 'put a keyword such as "properties" between the two')
        elif one.kind == "schema":
            yield SchemaFault((), one.message)
