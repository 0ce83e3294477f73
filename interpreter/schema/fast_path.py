"""A schema as plain functions that say at once that a value fits; whatever they do not know is left to the library.

The library makes a new object for every value in a value, which is most of what a step of a run would wait for. Nine
values in ten fit, and of one that fits there is nothing to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .regex import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Predicate = Callable[[Any], bool]
"""Whether a value fits."""

_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "format", "$comment", "$defs"})
_DEFS_REFERENCE = re.compile(r"#/\$defs/([\w-]+)", re.ASCII)


def compile_schema(schema: Mapping[str, Any]) -> Predicate:
    """The test of a schema. Where it says yes, the value fits; where it says no, the library is to be asked."""
    rest = {key: value for key, value in schema.items() if key != "$schema"}
    try:
        return _SchemaCompiler(schema.get("$defs", {})).compile(rest)
    except (_UnsupportedSchemaError, re.error, OverflowError, RecursionError, TypeError):
        return _reject_all


class _UnsupportedSchemaError(Exception):
    """The schema says something that only the library knows."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: dict[str, Predicate] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}

_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda limit, value: not _is_number(value) or value >= limit,
    "maximum": lambda limit, value: not _is_number(value) or value <= limit,
    "minLength": lambda limit, value: not isinstance(value, str) or len(value) >= limit,
    "maxLength": lambda limit, value: not isinstance(value, str) or len(value) <= limit,
    "minItems": lambda limit, value: not isinstance(value, list) or len(value) >= limit,
    "maxItems": lambda limit, value: not isinstance(value, list) or len(value) <= limit,
}


def _reject_all(_: Any) -> bool:
    return False


def _is_null_or(test: Predicate, value: Any) -> bool:
    return value is None or test(value)


def _matches_pattern(found: Predicate, value: Any) -> bool:
    return not isinstance(value, str) or found(value)


def _has_required(names: Sequence[str], value: Any) -> bool:
    return not isinstance(value, dict) or all(name in value for name in names)


def _fits_properties(tests: Mapping[str, Predicate], value: Any) -> bool:
    return not isinstance(value, dict) or all(test(value[name]) for name, test in tests.items() if name in value)


def _fits_additional(names: frozenset[str], test: Predicate, value: Any) -> bool:
    return not isinstance(value, dict) or all(test(value[name]) for name in value if name not in names)


def _fits_items(test: Predicate, value: Any) -> bool:
    return not isinstance(value, list) or all(map(test, value))


def _compile_assertion(key: str, said: Any) -> Predicate:
    """The test of a keyword that holds no other schemas."""
    if key in _BOUNDS and _is_number(said):
        return partial(_BOUNDS[key], said)
    match key, said:
        case "type", str() if said in _TYPES:
            return _TYPES[said]
        case "type", [first, "null"] if first in _TYPES:
            return partial(_is_null_or, _TYPES[first])
        case "enum", list() if all(one is None or isinstance(one, str) for one in said):
            return said.__contains__
        case "pattern", str():
            return partial(_matches_pattern, compile_pattern(said))
        case "required", list():
            return partial(_has_required, said)
    raise _UnsupportedSchemaError


class _SchemaCompiler:
    """Makes the tests of the parts of one schema."""

    def __init__(self, defs: Mapping[str, Any]) -> None:
        self._defs = defs
        self._compiled_references: dict[str, Predicate] = {}

    def compile(self, schema: Any) -> Predicate:
        """The test of a part."""
        if isinstance(schema, bool):
            return lambda _: schema
        if not isinstance(schema, dict):
            raise _UnsupportedSchemaError
        tests = [self._compile_keyword(key, value, schema) for key, value in schema.items() if key not in _ANNOTATIONS]
        return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)

    def _compile_keyword(self, key: str, said: Any, schema: Mapping[str, Any]) -> Predicate:
        match key, said:
            case "additionalProperties", _:
                return partial(_fits_additional, frozenset(schema.get("properties", ())), self.compile(said))
            case "properties", dict():
                return partial(_fits_properties, {name: self.compile(part) for name, part in said.items()})
            case "items", _:
                return partial(_fits_items, self.compile(said))
            case "$ref", str():
                return self._compile_reference(said)
        return _compile_assertion(key, said)

    def _compile_reference(self, said: str) -> Predicate:
        """What a part is called that is said once; it may hold itself, so that its test is found when it is asked."""
        named = _DEFS_REFERENCE.fullmatch(said)
        if named is None or named[1] not in self._defs:
            raise _UnsupportedSchemaError
        if said not in self._compiled_references:
            self._compiled_references[said] = (
                _reject_all  # until it is made, so that a part that holds itself is made once
            )
            self._compiled_references[said] = self.compile(self._defs[named[1]])
        return lambda value: self._compiled_references[said](value)  # noqa: PLW0108 - looked up when it is asked: see above
