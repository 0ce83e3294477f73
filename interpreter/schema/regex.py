r"""Patterns of JSON Schema, looked for in a time that grows with the text and no faster.

Python's own engine tries one way after the other: `^(\w+\s?)+$` against a sentence of fifty letters takes it longer
than anybody lives, and nothing else runs meanwhile. The engine that pydantic brings tries all ways at once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """What tells whether the pattern is found in a text.

    Raises:
        re.error: it is no regular expression; also OverflowError and RecursionError, from one out of the ordinary.
    """
    library = re.compile(pattern)
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True)).isinstance_python
    except SchemaError:  # it looks ahead, behind or back, which is done by trying or not at all
        return lambda text: library.search(text) is not None


def build_pattern_keywords() -> dict[str, Any]:
    """The keywords of JSON Schema that look for patterns, for the library to use instead of its own."""
    from jsonschema import ValidationError  # noqa: PLC0415 - 60 ms that listing tools must not pay

    def check_pattern(_: Any, said: str, value: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not compile_pattern(said)(value):
            yield ValidationError("does not match")

    def check_pattern_properties(
        library: Any, said: Mapping[str, Any], value: Any, _: Any
    ) -> Iterator[ValidationError]:
        for name in value if isinstance(value, dict) else ():
            for key, part in said.items():
                if compile_pattern(key)(name):
                    yield from library.descend(value[name], part, path=name, schema_path=key)

    def check_additional(library: Any, said: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
        more = find_unexpected_keys(value, schema) if isinstance(value, dict) else []
        if said is False and more:
            yield ValidationError("has more keys")
        for name in more if isinstance(said, dict) else ():
            yield from library.descend(value[name], said, path=name)

    return {
        "pattern": check_pattern,
        "patternProperties": check_pattern_properties,
        "additionalProperties": check_additional,
    }


def find_unexpected_keys(value: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """The keys of the value that neither `properties` nor `patternProperties` name."""
    patterns = [compile_pattern(key) for key in schema.get("patternProperties", {})]
    known = schema.get("properties", {})
    return [name for name in value if name not in known and not any(found(name) for found in patterns)]
