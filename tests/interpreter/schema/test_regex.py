"""Patterns match as in Python, in linear time."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from aurora.interpreter.schema.lint import find_schema_faults
from aurora.interpreter.schema.validate import find_faults
from aurora.interpreter.schema.validator import compile_pattern

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


REFUSED = {
    "a look-ahead": (r"^(?!x)[a-z]+$", "look-around"),
    "a look-ahead that backtracks": (r"(?=(a+)+$)", "look-around"),
    "a look-behind": (r"(?<=a)b", "look-around"),
    "a back-reference": (r"(a|a)*\1", "back-reference"),
    "a million repetitions": (r"a{1000000}", "repeats too much"),
    "nested repetitions": (r"((a{100}){100}){100}", "repeats too much"),
    "letters of all languages, often": (r"(\w|\d){900}z", "repeats too much"),
    "ten thousand alternatives": ("|".join(f"word{number}" for number in range(10_000)), "more than 10,000 characters"),
    "a hundred thousand letters": ("a" * 100_000, "more than 10,000 characters"),
    "three thousand groups": ("(" * 3000 + ")" * 3000, "not a regular expression"),
    "a count of many digits": (f"a{{{'9' * 4000}}}", "not a regular expression"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_pattern_that_cannot_be_matched_in_linear_time_is_refused(case: str) -> None:
    pattern, words = REFUSED[case]
    started = time.process_time()

    for schema in ({"pattern": pattern}, {"patternProperties": {pattern: {}}}):
        (fault,) = find_schema_faults(schema)
        assert words in fault.reason
    (found,) = find_faults("a" * 60, {"pattern": pattern})

    assert found["message"].startswith("cannot be checked, because its schema is wrong")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(\w{10}){20}x", r"(.*){500}b", r"([a-z]{90}){90}b"])
def test_a_long_text_is_matched_quickly_or_refused(pattern: str) -> None:
    started = time.process_time()

    (found,) = find_faults("a" * 1_000_000 + "!", {"pattern": pattern})

    assert "does not match" in found["message"] or "is too long for its pattern" in found["message"]
    assert time.process_time() - started < 10


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
