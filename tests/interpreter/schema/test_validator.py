"""Validation agrees with the reference implementation of JSON Schema."""

from __future__ import annotations

import math
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from aurora.interpreter import Catalog
from aurora.interpreter.lab.generate import generate_values
from aurora.interpreter.schema.validate import find_mismatches

TYPES = ("null", "boolean", "string", "number", "integer", "array", "object")
PARTS: list[Any] = [
    *(True, False, {}, {"title": "t", "format": "uri", "default": 1}),
    *({"type": kind} for kind in TYPES),
    *({"type": [kind, "null"]} for kind in TYPES[1:]),
    *({key: limit} for key in ("minimum", "maximum") for limit in (-1, 0, 1, 1.5, 2)),
    *({key: limit} for key in ("minLength", "maxLength") for limit in (0, 1, 2)),
    *({key: limit} for key in ("minItems", "maxItems") for limit in (0, 1, 2)),
    *({"enum": choices} for choices in (["a"], ["b", None], ["1", "ab"], [])),
    *({"pattern": pattern} for pattern in ("a", "^b?$", "^.$")),
    *({"required": names} for names in ([], ["a"], ["a", "b"])),
    {"type": "string", "enum": ["a", "ab"], "maxLength": 1},
    {"properties": {"a": {"type": "string"}}, "additionalProperties": False, "required": ["a"]},
    {"properties": {"a": {"type": "string"}, "b": False}, "additionalProperties": {"type": "null"}},
]
ATOMS: list[Any] = [None, True, False, 0, 1, 2, -1, 0.5, 1.0, 1.5, 1e300, 10**30, "", "a", "b", "ab", "é", "1"]
FLAT: list[Any] = [
    *([], {}, ["a"], ["a", 1], ["a", "b", "b"], [None], [[]], [{}]),
    *({"a": "a"}, {"a": 1}, {"b": None}, {"a": "b", "b": 1}, {"a": "b", "c": None}, {"a": "b", "c": 1}),
]
VALUES = [
    *ATOMS,
    *FLAT,
    *([value] for value in ATOMS),
    *({"a": value} for value in ATOMS),
    *([value] for value in FLAT),
]


def _nest(part: Any) -> list[dict[str, Any]]:
    return [
        part if isinstance(part, dict) else {"items": part},
        {"items": part},
        {"properties": {"a": part}},
        {"properties": {"b": {}}, "additionalProperties": part},
        {"items": {"$ref": "#/$defs/part"}, "$defs": {"part": part}},
        {"maxItems": 2, "minProperties": 1, "items": part},
    ]


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_a_value_fits_exactly_when_the_reference_accepts_it(part: Any) -> None:
    for schema in _nest(part):
        reference = Draft202012Validator(schema)
        wrong = [value for value in VALUES if bool(find_mismatches(value, schema)) is reference.is_valid(value)]
        assert wrong == [], schema


@pytest.mark.parametrize("name", sorted(Catalog(None).list_names()))
def test_generated_values_fit_the_shipped_schemas(name: str) -> None:
    definition = Catalog(None).open(name)
    for schema in (*definition.outputs.values(), *definition.answers.values()):
        assert all(find_mismatches(value, schema) == [] for value in generate_values(schema))


def test_a_recursive_schema_is_checked_at_every_depth() -> None:
    node = {"required": ["size"], "properties": {"size": {"minimum": 1}, "under": {"items": {"$ref": "#/$defs/node"}}}}
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    assert find_mismatches({"size": 1, "under": [{"size": 2}, {"size": 3, "under": [{"size": 4}]}]}, schema) == []
    (mismatch,) = find_mismatches({"size": 1, "under": [{"size": 2}, {"size": 3, "under": [{"size": 0}]}]}, schema)
    assert mismatch.steps == ("under", 1, "under", 0, "size")


@pytest.mark.parametrize(
    "schema",
    [
        *({"not": 1}, {"type": ["strnig"]}, {"minLength": -1}, {"pattern": "("}, {"$ref": "#/$defs/a"}),
        *({"$ref": "https://example.org/a"}, {"$ref": "file:///etc/passwd"}, {"patternProperties": {"(": {}}}),
    ],
)
def test_a_schema_that_nobody_checked_is_reported_as_wrong(schema: dict[str, Any]) -> None:
    (mismatch,) = find_mismatches("x", schema)
    assert mismatch.kind == "schema"
    assert mismatch.message.startswith("cannot be checked, because its schema is wrong: ")


def test_a_value_with_half_surrogates_is_checked_too() -> None:
    schema = {"additionalProperties": False, "properties": {"a": {"type": "string", "maxLength": 1}}}
    assert find_mismatches({"a": "\ud800"}, schema) == []
    assert [mismatch.kind for mismatch in find_mismatches({"a": "\ud800b"}, schema)] == ["maxLength"]
    assert [mismatch.kind for mismatch in find_mismatches({"\ud800": 1}, schema)] == ["additionalProperties"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_lacks_is_not_a_number(number: float) -> None:
    (mismatch,) = find_mismatches([number], {"items": {"type": "number"}})
    assert mismatch.message in ("must be number, not NaN", "must be number, not infinity")


@pytest.mark.parametrize("depth", [1_500, 5_000, 200_000])
def test_a_value_too_deep_for_the_library_does_not_end_the_process(depth: int) -> None:
    value: Any = []
    for _ in range(depth):
        value = [value]
    schema = {"$ref": "#/$defs/node", "$defs": {"node": {"items": {"$ref": "#/$defs/node"}}}}
    assert [mismatch.kind for mismatch in find_mismatches(value, schema)] in ([], ["depth"])
