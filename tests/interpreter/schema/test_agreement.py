"""Generated schemas and values: validation agrees with the reference implementation, and its limits are reported."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aurora.interpreter.schema.json_values import find_excess, format_json_path, to_canonical_json
from aurora.interpreter.schema.validate import MAX_VALIDATED_DEPTH, find_faults, find_mismatches
from aurora.interpreter.schema.validator import compile_schema

KEYS = ("a", "b", "é", "大", "")
TYPES = ("null", "boolean", "string", "number", "integer", "array", "object")
PATTERNS = ("a", "^b?$", "é", "^[à-ü]+$", "^.$", "大$", "[^a]", r"^\S+$", "(?i)B", "a|é")
TEXTS = st.one_of(
    st.sampled_from(["", "a", "b", "B", "ab", "é", "à", "大", "👩", "e\u0301"]), st.text("abé大 ", max_size=4)
)
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, -1.5, 1e300, 10**30, -0.0]), TEXTS
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)),
    max_leaves=6,
)
LIMITS = st.integers(0, 3)
NUMBERS = st.one_of(st.integers(-2, 2), st.sampled_from([0.5, 1.5]))
NAME_LISTS = st.lists(st.sampled_from(KEYS), max_size=2, unique=True)


def combine(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas that have these schemas inside, and any keyword of their own."""
    several = st.lists(inner, min_size=1, max_size=2)
    by_key = st.dictionaries(st.sampled_from(KEYS), inner, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(
                st.sampled_from(TYPES), st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True)
            ),
            "enum": st.lists(ATOMS, min_size=1, max_size=3),
            "const": VALUES,
            "minimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "minLength": LIMITS,
            "maxLength": LIMITS,
            "pattern": st.sampled_from(PATTERNS),
            "minItems": LIMITS,
            "maxItems": LIMITS,
            "uniqueItems": st.booleans(),
            "minProperties": LIMITS,
            "required": NAME_LISTS,
            "properties": by_key,
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": several,
            "contains": inner,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    )


LEAVES = st.one_of(
    st.booleans(),
    st.sampled_from(TYPES).map(lambda kind: {"type": kind}),
    st.sampled_from(PATTERNS).map(lambda pattern: {"pattern": pattern}),
    LIMITS.map(lambda limit: {"maxLength": limit}),
)
SCHEMAS = combine(st.one_of(LEAVES, combine(LEAVES)))
BOUNDED = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@BOUNDED
@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=4))
def test_a_value_is_valid_exactly_when_the_reference_accepts_it(schema: dict[str, Any], values: list[Any]) -> None:
    reference = Draft202012Validator(schema)
    validator = compile_schema(to_canonical_json(schema))

    for value in values:
        expected = reference.is_valid(value)
        assert validator.is_valid(value) is expected, (schema, value)
        assert (find_mismatches(value, schema) == []) is expected


@BOUNDED
@given(SCHEMAS, VALUES)
def test_every_mismatch_has_a_message_and_a_path_of_the_value(schema: dict[str, Any], value: Any) -> None:
    for mismatch in find_mismatches(value, schema):
        assert mismatch.message
        assert len(mismatch.message) <= 300
        assert mismatch.kind in {*schema_keywords(schema), "falseSchema"}
        assert is_path_of(mismatch.steps[:-1] if mismatch.kind == "required" else mismatch.steps, value)


def schema_keywords(schema: Any) -> set[str]:
    """All keys in the schema, at any depth."""
    if isinstance(schema, dict):
        return set(schema).union(*map(schema_keywords, schema.values()))
    return set().union(*map(schema_keywords, schema)) if isinstance(schema, list) else set()


def is_path_of(steps: tuple[str | int, ...], value: Any) -> bool:
    """Whether a path leads to a part of the value; the library leaves out keys that are empty texts."""
    for step in steps:
        while isinstance(value, dict) and step not in value and "" in value:
            value = value[""]
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


@BOUNDED
@given(VALUES)
def test_canonical_text_does_not_depend_on_the_order_of_keys_and_reads_back(value: Any) -> None:
    def turn(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turn(part[key]) for key in reversed(part)}
        return [turn(item) for item in part] if isinstance(part, list) else part

    assert to_canonical_json(turn(value)) == to_canonical_json(value)
    assert json.loads(to_canonical_json(value)) == value


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("^é$", "é", "e\u0301"),
        (r"^\w+$", "naïve_大", "a b"),
        (r"^\d+$", "٣٤", "三"),
        ("^.{1}$", "👩", "👩👩"),
        ("^[à-ü]+$", "éè", "eé"),
        ("(?i)^straße$", "STRAßE", "STRASSE"),
        (r"^\s$", "\u3000", "\u200b"),
    ],
)
def test_a_pattern_counts_letters_of_every_script(pattern: str, good: str, bad: str) -> None:
    assert find_faults(good, {"pattern": pattern}) == []
    assert [fault["message"] for fault in find_faults(bad, {"pattern": pattern})] == [
        f"{json.dumps(bad, ensure_ascii=False)} does not match the pattern {pattern}"
    ]


@pytest.mark.parametrize(("text", "length"), [("👩", 1), ("e\u0301", 2), ("大大", 2), ("\u200b", 1), ("", 0)])
def test_a_length_counts_code_points(text: str, length: int) -> None:
    assert find_faults(text, {"minLength": length, "maxLength": length}) == []
    assert len(find_faults(text, {"minLength": length + 1})) == 1


def nest(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_is_validated_down_to_the_deepest_allowed_level() -> None:
    schema = {"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [{"const": 2}, {"items": {"$ref": "#/$defs/node"}}]}}}

    assert find_mismatches(nest(100), schema) == []
    assert [mismatch.kind for mismatch in find_mismatches(nest(MAX_VALIDATED_DEPTH * 3), schema)] in ([], ["depth"])


@pytest.mark.parametrize("depth", [1, 2, 100])
def test_the_excess_of_depth_begins_one_level_below_the_bound(depth: int) -> None:
    assert find_excess(nest(depth - 1), depth=depth) is None
    assert find_excess(nest(depth), depth=depth) == f"it is nested more than {depth} deep"


@BOUNDED
@given(
    st.lists(st.one_of(st.sampled_from([*KEYS, "a b", "$x", "0", 'q"', "a.b", "a-b"]), st.integers(0, 9)), max_size=4)
)
def test_different_paths_are_written_differently_and_begin_with_the_root(steps: list[str | int]) -> None:
    text = format_json_path(steps, "$.in")

    assert text.startswith("$.in")
    assert (text == format_json_path([*steps, 0], "$.in")) is False
    assert (text == "$.in") is (not steps)
    assert all(json.dumps(step, ensure_ascii=False)[1:-1] in text for step in steps if isinstance(step, str))
