"""Schemas that compare a value with their parts too often are refused, and large values take bounded time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from aurora.interpreter.schema.lint import find_schema_faults
from aurora.interpreter.schema.validate import find_mismatches
from aurora.interpreter.schema.work import count_comparisons

ANY_JSON = {
    "$ref": "#/$defs/json",
    "$defs": {
        "json": {
            "anyOf": [
                {"type": ["string", "number", "boolean", "null"]},
                {"type": "array", "items": {"$ref": "#/$defs/json"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/json"}},
            ]
        }
    },
}
NULLABLE = {"anyOf": [{"$ref": "#"}, {"type": "null"}]}
TREE = {
    "properties": {"name": {"type": "string"}, "left": NULLABLE, "right": NULLABLE},
    "additionalProperties": {"$ref": "#"},
}


def double(keyword: str, levels: int) -> dict[str, Any]:
    """Make definitions of which each refers to the next one twice, for the same value."""
    definitions: dict[str, Any] = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": {"type": "string"}}}


def grow(branches: int) -> dict[str, Any]:
    """Make a schema that compares each item with all branches, and these with all of its own."""
    return {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"items": {"$ref": "#/$defs/a"}}] * branches}}}


def nest(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize("levels", [25, 60])
@pytest.mark.timeout(60)
def test_definitions_that_double_the_work_are_refused_at_once(keyword: str, levels: int) -> None:
    (fault,) = find_schema_faults(
        {"properties": {"q": double(keyword, levels)}} | {"$defs": double(keyword, levels)["$defs"]}
    )
    assert "more than 10,000 times" in fault.reason


@pytest.mark.timeout(60)
def test_definitions_that_were_not_checked_take_no_time_either() -> None:
    assert [mismatch.kind for mismatch in find_mismatches("a", double("allOf", 40))] == ["size"]


def nest_unevaluated(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {"a": {}}}
    for _ in range(levels):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    return schema


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (nest_unevaluated(40), {"a": 1}),
        ({"$ref": "#/$defs/d", "$defs": {"d": nest_unevaluated(40)}}, {"a": 1}),
        ({"contains": {"$ref": "#"}, "unevaluatedItems": False}, nest(60)),
    ],
)
@pytest.mark.timeout(60)
def test_schemas_that_are_applied_again_to_find_what_is_unevaluated_are_counted_so(schema: Any, value: Any) -> None:
    assert [mismatch.kind for mismatch in find_mismatches(value, schema)] == ["size"]
    small = {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}
    assert [mismatch.kind for mismatch in find_mismatches({"a": 1, "b": 2}, small)] == ["unevaluatedProperties"]


@pytest.mark.timeout(60)
def test_a_schema_of_references_to_large_definitions_is_refused() -> None:
    many = {"allOf": [{"$ref": "#/$defs/y"}] * 9_000}
    schema = {"anyOf": [{"$ref": "#/$defs/x"}] * 9_000, "$defs": {"x": many, "y": {}}}
    assert "18,000 references, too many" in find_schema_faults(schema)[0].reason
    assert [mismatch.kind for mismatch in find_mismatches("a", schema)] == ["schema"]


@pytest.mark.timeout(60)
def test_references_in_a_row_without_end_are_refused() -> None:
    chain: dict[str, Any] = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(2_000)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**chain, "d2000": {}}}
    assert [fault.reason for fault in find_schema_faults(schema)]
    assert not find_mismatches("a", schema)


@pytest.mark.timeout(60)
def test_a_schema_whose_work_grows_with_the_depth_is_limited_by_the_value() -> None:
    schema = grow(2)
    assert not find_schema_faults(schema)
    assert not find_mismatches(nest(10), schema)
    assert [mismatch.kind for mismatch in find_mismatches(nest(40), schema)] == ["size"]


@pytest.mark.parametrize("schema", [ANY_JSON, TREE, {"items": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}]}])
def test_a_recursive_schema_is_not_taken_for_a_growing_one(schema: dict[str, Any]) -> None:
    assert count_comparisons([nest(90)] * 10, json.dumps(schema), 10_000) < 10_000
    assert not find_mismatches({"left": {"right": {"left": {}}}}, schema)
    assert not find_mismatches([nest(90)] * 10, schema)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"type": "string"}}, list(range(200_000))),
        ({"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, list(range(200_000))),
        ({"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}, list(range(200_000))),
        ({"items": {"enum": [{"a": "x" * 100, "b": index} for index in range(4_000)]}}, [{"a": "x"}] * 4_000),
        ({"items": {"pattern": "^a.*b$"}}, ["a" * 50] * 100_000),
        ({"items": {"pattern": "(ab?c?d?){1000}"}}, ["abcd" * 1_000] * 1_000),
        ({"uniqueItems": True}, [{"a": index} for index in range(50_000)] + [{"a": 1}]),
    ],
)
def test_a_large_wrong_value_is_refused_in_bounded_time(schema: dict[str, Any], value: Any) -> None:
    find_mismatches([], schema)
    started = time.process_time()
    assert find_mismatches(value, schema)
    assert time.process_time() - started < 3


def test_an_ordinary_schema_is_far_from_the_limits() -> None:
    schema = {"items": {"properties": {f"key{index}": {"$ref": "#/$defs/text"} for index in range(30)}}}
    text = json.dumps(schema | {"$defs": {"text": {"type": "string", "enum": ["a", "b"]}}})
    value = [{f"key{index}": "a" for index in range(30)}] * 3_000
    assert not find_mismatches(value, json.loads(text))
