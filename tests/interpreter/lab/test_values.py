"""Generated values fit their JSON Schema and vary where an expression reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from aurora.interpreter.lab.generate import UnsatisfiableError, generate_least_value, generate_text, generate_values
from aurora.interpreter.lab.values import collect_constants

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "workflows").glob("*/schemas/*.json"))

SCHEMAS: list[Any] = [
    {},
    {"type": "string", "minLength": 30},
    {"type": "string", "pattern": "^[a-z]{3}-\\d+$"},
    {"type": "string", "maxLength": 2},
    {"type": "integer", "minimum": 3, "maximum": 3},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"type": "integer", "multipleOf": 7, "minimum": 8},
    {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"enum": ["a", "b", "c"]}},
    {"type": "array", "maxItems": 0},
    {"type": "array", "contains": {"const": 5}},
    {"prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "type": "array"},
    {"type": "object", "minProperties": 2},
    {"type": "object", "required": ["a"], "properties": {"a": {"type": ["null", "integer"]}}},
    {"allOf": [{"required": ["a"]}, {"properties": {"a": {"const": 1}}}], "type": "object"},
    {"anyOf": [{"type": "string", "maxLength": 0}, {"type": "integer", "minimum": 9}]},
    {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "required": ["a"], "type": "object"},
    {"not": {"type": ["object", "string"]}},
    {"$ref": "#/$defs/x", "$defs": {"x": {"type": "object", "required": ["y"], "properties": {"y": {"const": 2}}}}},
    {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": []},
    {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "required": ["name", "under"],
                "properties": {
                    "name": {"type": "string"},
                    "under": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    "beside": {"$ref": "#/$defs/node"},
                },
            }
        },
    },
    {
        "type": "object",
        "required": ["size", "next"],
        "properties": {"size": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
    },
    {
        "$ref": "#/$defs/d0",
        "$defs": {**{f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(40)}, "d40": {"const": 1}},
    },
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: json.dumps(schema)[:60])
def test_generated_values_fit_their_schema(schema: Any) -> None:
    values = generate_values(schema)
    assert values
    assert all(Draft202012Validator(schema).is_valid(value) for value in values)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_shipped_schema_has_a_generated_value(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(generate_least_value(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"enum": []},
        {"const": 1, "type": "string"},
        {"type": "array", "minItems": 10**12},
        {"type": "number", "multipleOf": 1e-320, "minimum": 1},
        False,
        {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}},
    ],
    ids=json.dumps,
)
def test_an_unsatisfiable_schema_is_reported_in_bounded_time(schema: Any) -> None:
    with pytest.raises(UnsatisfiableError):
        generate_values(schema)


def test_a_schema_that_doubles_with_every_reference_is_cut() -> None:
    doubling = {f"d{at}": {"type": "object", "properties": {name: {"$ref": f"#/$defs/d{at + 1}"} for name in "ab"}}
                for at in range(40)}  # fmt: skip
    assert generate_least_value({"$ref": "#/$defs/d0", "$defs": {**doubling, "d40": {}}}) == {}


@pytest.mark.parametrize(
    ("schema", "expression", "wanted"),
    [
        ({"enum": ["A", "B"]}, "x == 'B'", "B"),
        ({"type": "string"}, "x == 'ready'", "ready"),
        ({"type": "string"}, "starts_with(x, 'ab')", "ab"),
        ({"type": "boolean"}, "x", True),
        ({"type": "array"}, "length(x) == `0`", []),
        ({"type": "object", "properties": {"y": {"type": "string"}}}, "x.y == 'q'", {"y": "q"}),
        ({"type": "array", "items": {"enum": ["u", "v"]}}, "contains(x, 'v')", ["v"]),
    ],
)
def test_generated_values_include_the_literals_of_expressions(schema: Any, expression: str, wanted: Any) -> None:
    assert wanted in generate_values(schema, collect_constants([expression]))


def test_generated_numbers_are_below_at_and_above_the_compared_ones() -> None:
    values = generate_values({"type": "number"}, collect_constants(["x > `0.7`"]))
    assert 0.7 in values
    assert min(values) < 0.7 < max(values)


def test_generated_lists_have_the_compared_lengths() -> None:
    values = generate_values({"type": "array", "items": {"type": "string"}}, collect_constants(["length(x) >= `4`"]))
    assert {0, 3, 4, 5} <= {len(value) for value in values}


@pytest.mark.parametrize(
    "pattern",
    ["^[A-Za-z0-9][\\w.-]*$", "^(code|reas):[0-9A-Z]+$", "^\\d{4}-\\d\\d$", "[^a]x\\S", "(a|b)\\1", "x{2,5}?y+", "^$"],
)
def test_a_generated_text_matches_its_pattern(pattern: str) -> None:
    assert re.search(pattern, generate_text({"pattern": pattern}))
