"""What keeps a JSON Schema from being one that may be used here, every fault at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .choices import did_you_mean, listed
from .values import canonical, mismatches, too_much

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


def schema_faults(schema: Any) -> list[SchemaFault]:
    """Every fault of the schema; none means that values can be checked against it without surprise."""
    deep = too_much(schema)
    if deep:
        return [SchemaFault((), f"{deep}, which is more than a schema may be")]
    found = list(_against_the_standard(schema))
    if not found:
        found = [*_references(schema), *_patterns(schema)]
    if not found and _never_ends(schema):
        found = [SchemaFault((), 'its "$ref" leads back to itself without end', "put a keyword between the two")]
    return found


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
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - as above
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - as above

    resource = DRAFT202012.create_resource(schema)
    registry: Any = (resource @ Registry() if resource.id() else Registry().with_resource("", resource)).crawl()
    resolver = registry.resolver(resource.id() or "")
    for steps, inner in _inside(schema):
        target = inner.get("$ref")
        if not isinstance(target, str):
            continue
        try:
            resolver.lookup(target)
        except (Unresolvable, ValueError, LookupError, AttributeError, TypeError):
            if target.startswith("#"):
                reason, help_ = f'"{target}" leads nowhere', "a reference looks like `#/$defs/NAME`"
            else:
                reason = f'"{target}" is outside of this schema, and nothing outside is read'
                help_ = "copy it under `$defs`, and refer to `#/$defs/NAME`"
            yield SchemaFault((*steps, "$ref"), reason, help_)


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


def _never_ends(schema: Any) -> bool:
    """Whether checking the simplest of values comes to no end."""
    return "$ref" in canonical(schema) and any(one.kind == "depth" for one in mismatches(None, schema))
