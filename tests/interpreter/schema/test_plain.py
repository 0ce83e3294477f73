"""A schema that is plainly right has no faults, and a value that plainly fits has no mismatches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.checks.schemas import find_mistakes
from aurora.interpreter.schema.lint import find_schema_faults, fits_plain_schema, is_plain_part, is_plain_schema
from aurora.interpreter.schema.validate import find_mismatches

NAMES = st.sampled_from(["a", "b", "type", "properties", "required", "$ref", "x y", ""])
WORDS = st.sampled_from(["string", "object", "array", "boolean", "integer", "null", "number", "text", "é", "\ud800"])
PARTS = st.recursive(
    st.fixed_dictionaries({}, optional={"type": WORDS, "enum": st.lists(NAMES, max_size=3)}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": WORDS,
            "items": inner,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "required": st.lists(NAMES, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "minimum": st.integers(0, 3),
            "description": st.just("x"),
        },
    ),
    max_leaves=6,
)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | NAMES | st.lists(NAMES)
OBJECT = {"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "items": {"enum": ["x", "y"]}}}}


@settings(max_examples=300, deadline=None)
@given(PARTS, VALUES)
def test_what_is_plainly_right_is_right(schema: dict[str, Any], value: Any) -> None:
    if is_plain_schema(schema, repr(schema)):
        assert find_schema_faults(schema) == ()
        assert list(find_mistakes(schema)) == []
    if is_plain_part(schema) and not find_schema_faults(schema) and fits_plain_schema(value, schema):
        assert find_mismatches(value, schema) == []


@pytest.mark.parametrize("schema", [{"type": "string"}, {"enum": ["a", "b"]}, {"type": "array"}, OBJECT])
def test_a_schema_as_most_are_is_plainly_right(schema: dict[str, Any]) -> None:
    assert is_plain_schema(schema, repr(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "text"},
        {"type": ["string"]},
        {"type": "string", "minLength": 2, "maxLength": 1},
        {"enum": []},
        {"enum": ["a", "a"]},
        {"enum": [1]},
        {"enum": ["a"], "type": "integer"},
        {**OBJECT, "required": ["b"]},
        {**OBJECT, "required": "a"},
        {**OBJECT, "properties": {"a": True}},
        {"$ref": "#"},
        {"type": "object", "properties": {"é": {"type": "string"}}},
        {"type": "object", "properties": {f"f{number}": {"type": "string"} for number in range(101)}},
    ],
)
def test_any_other_schema_is_examined(schema: dict[str, Any]) -> None:
    assert not is_plain_schema(schema, repr(schema))
