"""Patterns match as in Python, in linear time."""

from __future__ import annotations

import re
from typing import Any

import pytest

from aurora.interpreter.schema import find_faults
from aurora.interpreter.schema.regex import compile_pattern

LETTERS = "a" * 60
ENDLESS = (r"^(a+)+$", r"^(\w+\s?)*$", r"^(a|aa)+$", r"^(\w|\d)*[.]$", r"(.*a){30}$", r"^([a-z]+)*[.]$")


@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_that_would_backtrack_forever_is_matched(pattern: str) -> None:
    assert len(find_faults(f"{LETTERS}!", {"pattern": pattern})) == 1
    (fault,) = find_faults({f"{LETTERS}!": 1}, {"patternProperties": {pattern: {}}, "additionalProperties": False})
    assert fault["message"].startswith("unexpected key")


@pytest.mark.parametrize(
    "pattern", [*ENDLESS, "^a", "b?", "[^a-c]$", r"\d{2,3}", "é|à", r"^\S+@\S+$", "(?i)AB", "^$", "."]
)
@pytest.mark.parametrize(
    "text", ["", "a", "abc", "AB", "12", "1234", "été", "à la", "ada@example.org", "d.", "\t", "大"]
)
def test_a_pattern_matches_as_in_the_standard_library(pattern: str, text: str) -> None:
    assert compile_pattern(pattern)(text) is (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    ("pattern", "good", "bad"), [("^(?!x)[a-z]+$", "abc", "xbc"), (r"^(.)\1$", "aa", "ab"), ("(?<=a)b", "ab", "cb")]
)
def test_lookarounds_and_backreferences_are_supported(pattern: str, good: str, bad: str) -> None:
    assert compile_pattern(pattern)(good)
    assert not compile_pattern(pattern)(bad)


def test_a_dollar_matches_only_at_the_very_end() -> None:
    assert [
        fault["path"] for fault in find_faults({"id": "abc\n"}, {"properties": {"id": {"pattern": "^[a-z]+$"}}})
    ] == ["$.id"]


def test_keys_are_matched_with_pattern_properties() -> None:
    schema: dict[str, Any] = {
        "properties": {"name": {}},
        "patternProperties": {"^x-": {"type": "string"}, "_at$": {"type": "integer"}},
        "additionalProperties": {"type": "boolean"},
    }
    assert find_faults({"name": 1, "x-a": "b", "made_at": 1, "other": True}, schema) == []
    assert {
        fault["path"]: fault["message"] for fault in find_faults({"x-a": 1, "made_at": "b", "other": 2}, schema)
    } == {
        "$.x-a": "must be string, not integer",
        "$.made_at": "must be integer, not string",
        "$.other": "must be boolean, not integer",
    }
    closed = {**schema, "additionalProperties": False}
    assert [fault["path"] for fault in find_faults({"x-a": "b", "nmae": 1}, closed)] == ["$.nmae"]
