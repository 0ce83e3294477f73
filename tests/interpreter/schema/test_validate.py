"""Faults of JSON values and of JSON Schemas."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurora.interpreter.schema.json_values import find_excess, format_json_path, to_canonical_json
from aurora.interpreter.schema.lint import find_schema_faults
from aurora.interpreter.schema.validate import find_faults, find_mismatches

KEYWORDS = (
    *("type", "enum", "const", "properties", "required", "items", "prefixItems", "contains", "uniqueItems", "maxItems"),
    *("pattern", "patternProperties", "propertyNames", "additionalProperties", "unevaluatedProperties", "minLength"),
    *("$ref", "$id", "$defs", "$anchor", "$dynamicRef", "$dynamicAnchor", "$schema", "default", "format"),
    *("anyOf", "allOf", "oneOf", "not", "if", "then", "dependentSchemas", "minimum", "maximum", "multipleOf"),
)
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from(["string", "object", "#", "#/$defs/a", "#a", "http://[", "a", "(", "[a-z]+", "", "é", "\ud800"]),
    st.text(max_size=5),
)
NAMES = st.one_of(st.sampled_from([*KEYWORDS, "a", "b"]), st.text(max_size=4))
ANYTHING = st.recursive(
    ATOMS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
SCHEMAS = st.dictionaries(st.sampled_from(KEYWORDS), ANYTHING, max_size=4)
BOUNDED = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@BOUNDED
@given(SCHEMAS, ANYTHING)
def test_a_schema_without_faults_can_always_be_validated_against(schema: dict[str, Any], value: Any) -> None:
    found = find_schema_faults(schema)
    assert all(fault.reason for fault in found)
    if not found:
        assert "schema" not in {one.kind for one in find_mismatches(value, schema)}


@BOUNDED
@given(ANYTHING, ANYTHING)
def test_different_values_have_different_canonical_texts(one: Any, other: Any) -> None:
    assert (to_canonical_json(one) == to_canonical_json(other)) is (
        json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    )


def _sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def test_every_fault_is_reported_with_its_path() -> None:
    schema = {
        "type": "object",
        "required": ["name", "age"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "tags": {"type": "array", "items": {"enum": ["red", "blue"]}, "maxItems": 2, "uniqueItems": True},
            "size": {"type": ["number", "null"], "minimum": 1},
        },
    }
    value = {"name": "x", "tags": ["red", "red", "green"], "size": "big", "nmae": 1}
    assert find_faults(value, schema, "$.item") == [
        {"path": "$.item.age", "message": '"age" is missing'},
        {"path": "$.item.name", "message": "must have at least 2 characters, not 1"},
        {
            "path": "$.item.nmae",
            "message": 'unexpected key "nmae"; expected one of "name", "size", "tags" (did you mean "name"?)',
        },
        {"path": "$.item.size", "message": "must be number or null, not string"},
        {"path": "$.item.tags", "message": "must have at most 2 items, not 3"},
        {"path": "$.item.tags", "message": "has the same item twice"},
        {"path": "$.item.tags[2]", "message": '"green" is not one of "red", "blue"'},
    ]


def test_a_missing_key_is_reported_once() -> None:
    found = find_faults({}, {"required": ["a", "a b", "c"]})
    assert [fault["path"] for fault in found] == ["$.a", "$.c", '$["a b"]']


def test_at_most_twenty_faults_are_reported() -> None:
    assert len(find_faults(["x"] * 500, {"items": {"type": "integer"}})) == 20


def test_of_several_branches_the_best_one_is_reported() -> None:
    schema = {
        "anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"properties": {"b": {"type": "null"}}}}}]
    }
    assert find_faults({"a": {"b": 1}}, schema) == [{"path": "$.a.b", "message": "must be null, not integer"}]


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (None, {"const": "A"}, 'must be "A", not null'),
        (True, {"const": None}, "must be null, not true"),
        (None, {"anyOf": [{"type": "string"}, {"const": 2}]}, "null fits none of the schemas under anyOf"),
        (True, {"oneOf": [{"type": "string"}]}, "true fits none of the schemas under oneOf"),
        (1, {"oneOf": [{"type": "integer"}, {"const": 1}]}, "1 fits more than one of the schemas under oneOf"),
        (None, {"not": {"type": "null"}}, 'null matches the schema under not: {"type": "null"}'),
        ([1], {"contains": {"const": None}}, 'does not contain the required items: {"const": null}'),
        ({}, {"minProperties": 2}, "must have at least 2 keys, not 0"),
        ({"a": 1}, {"maxProperties": 0}, "must have at most 0 keys, not 1"),
        (1, {"exclusiveMinimum": 1}, "must be more than 1, not 1"),
        (1, {"exclusiveMaximum": 1}, "must be less than 1, not 1"),
        (1.5, {"multipleOf": 1}, "must be a multiple of 1, not 1.5"),
        ({"a": 1}, {"properties": {"a": False}}, "must not be there"),
    ],
)
def test_values_in_messages_are_written_as_json(value: Any, schema: Any, message: str) -> None:
    assert [fault["message"] for fault in find_faults(value, schema)] == [message]


def test_a_long_value_is_cut_in_the_message() -> None:
    (fault,) = find_faults("x" * 10_000, {"enum": ["a"]})
    assert len(fault["message"]) < 120


@pytest.mark.parametrize("depth", [50, 99, 5_000])
def test_a_recursive_schema_ends_on_a_deep_value(depth: int) -> None:
    schema = {"$ref": "#/$defs/node", "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}}}
    assert find_schema_faults(schema) == ()
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"next": value}
    assert [one.kind for one in find_mismatches(value, schema)] in ([], ["depth"])


def test_excess_of_a_value_is_found_without_recursion() -> None:
    deep: Any = []
    for _ in range(200_000):
        deep = [deep]
    assert find_excess(deep) == "it is nested more than 100 deep"
    assert find_excess(["x" * 1_000_001]) == "it has more than 1,000,000 characters"
    assert find_excess({"x": ["y"] * 100}) is None


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        ({"type": "strnig"}, "$.type", '"strnig" is not a type'),
        ({"properties": {"a": {"type": ["null", "txt"]}}}, "$.properties.a.type", '"txt" is not a type'),
        ({"items": [{}]}, "$.items", '"items" must be a schema'),
        ({"$ref": "other.json"}, "$.$ref", "outside of this schema"),
        ({"$ref": "https://example.org/x"}, "$.$ref", "outside of this schema"),
        ({"$ref": "file:///etc/passwd"}, "$.$ref", "outside of this schema"),
        ({"$ref": "#/$defs/a"}, "$.$ref", "leads nowhere"),
        ({"$ref": "#a"}, "$.$ref", "leads nowhere"),
        ({"$ref": "#"}, "$", "without end"),
        ({"allOf": [{"$ref": "#"}]}, "$", "without end"),
        ({"pattern": "("}, "$.pattern", "not a regular expression"),
        ({"patternProperties": {"[": {}}}, '$.patternProperties["["]', "not a regular expression"),
    ],
)
def test_an_unusable_schema_is_reported_at_its_path(schema: Any, path: str, words: str) -> None:
    (fault,) = find_schema_faults(schema)
    assert format_json_path(fault.steps) == path
    assert words in fault.reason


@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {"a": {"$anchor": "here"}}, "$ref": "#here"},
        {"$id": "https://example.org/x", "$defs": {"a": {}}, "$ref": "#/$defs/a"},
        {"$id": "https://example.org/x", "$defs": {"a": {"$id": "y"}}, "$ref": "https://example.org/y"},
        {"$defs": {"a/b": {}, "c~d": {}, "e f": {}}, "allOf": [{"$ref": "#/$defs/a~1b"}, {"$ref": "#/$defs/c~0d"}]},
        {"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}}},
        {"default": {"$ref": "nowhere", "pattern": "("}, "examples": [{"$ref": "x"}], "const": {"$ref": "y"}},
        {"properties": {"default": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}, "$ref": "#/definitions/a"},
        {"properties": {"children": {"items": {"$ref": "#"}}}},
        {"anyOf": [{"type": "null"}, {"items": {"$ref": "#"}}]},
    ],
)
def test_a_usable_schema_has_no_fault(schema: Any) -> None:
    assert find_schema_faults(schema) == ()


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ([1] * 100_000, {"items": {"type": "string"}}),
        ({f"key{number}": 1 for number in range(50_000)}, {"properties": {"kye": {}}, "additionalProperties": False}),
        ([{"a": number} for number in range(100_000)] + [{"a": 0}], {"uniqueItems": True}),
        (10**4000, {"multipleOf": 3}),
    ],
)
def test_a_large_wrong_value_has_few_mismatches_quickly(value: Any, schema: dict[str, Any]) -> None:
    started = time.process_time()

    assert len(find_faults(value, schema)) <= 20
    assert time.process_time() - started < 10
