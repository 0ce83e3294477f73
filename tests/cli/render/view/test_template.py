"""Templates of a view: each field is looked up, formatted, and absent where it has nothing to show."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.cli.render.view import (
    FORMATS,
    Joined,
    Part,
    choose_style,
    fill_template,
    is_met,
    look_up,
    resolve_style,
    to_parts,
)
from aurora.faults import show_hidden

ITEM: dict[str, Any] = {
    "name": "kettle",
    "zero": 0,
    "no": False,
    "nothing": None,
    "blank": "",
    "agent": {"name": "potter", "tools": ["fire", "clay"]},
    "cups": [{"size": 3}, {"size": 5}],
    "none": [],
    "empty": {},
    "bytes": 1_430_000,
    "at": "2026-03-04T05:06:07.891Z",
}
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)
PATHS = st.lists(st.sampled_from(["name", "agent", "cups", "0", "1", "9", "size", "tools", "", "-1", "²"]), max_size=4)
QUICK = settings(max_examples=80)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{name}", "kettle"),
        ("{zero} and {no}", "0 and False"),
        ("a {nothing} b", ""),
        ("a {blank} b", ""),
        ("a {missing} b", ""),
        ("{agent.name}: {agent.tools.1}", "potter: clay"),
        ("{agent.tools.2}", ""),
        ("{agent.name.more}", ""),
        ("{name.0}", ""),
        ("{cups.0.size}/{cups.1.size}", "3/5"),
        ("{agent.tools:join}", "fire, clay"),
        ("{agent.tools:join  → }", "fire → clay"),
        ("{none:join}", ""),
        ("{none}", ""),
        ("{empty}", ""),
        ("{none:count cup}", "0 cups"),
        ("{cups:count cup}", "2 cups"),
        ("{zero:count cup}", "0 cups"),
        ("{none:size}", "0"),
        ("{none:json}{empty:json}", "[]{}"),
        ("{agent.tools:json}", '["fire", "clay"]'),
        ("{bytes:bytes}", "1.4 MB"),
        ("{bytes:,}", "1,430,000"),
        ("{name:>8}|", "  kettle|"),
        ("{at:time}", "2026-03-04 05:06:07"),
        ("{{name}}", "{name}"),
        ("", ""),
        ("plain", "plain"),
    ],
)
def test_a_template_is_filled_or_absent(template: str, text: str) -> None:
    assert fill_template(template, ITEM) == text


def test_every_format_has_an_example_above() -> None:
    (examples,) = (
        mark.args[1] for mark in test_a_template_is_filled_or_absent.pytestmark if mark.name == "parametrize"
    )
    templates = " ".join(template for template, _ in examples)

    assert [name for name in FORMATS if f":{name}" not in templates] == []


@QUICK
@given(PATHS)
def test_a_path_that_leads_nowhere_is_absent_and_never_an_error(path: list[str]) -> None:
    found = look_up(".".join(path), ITEM)

    expected: Any = ITEM
    for step in path or [""]:
        if isinstance(expected, dict):
            expected = expected.get(step)
        else:
            is_index = isinstance(expected, list) and step in {"0", "1"}
            expected = expected[int(step)] if is_index else None
    assert found == expected


@QUICK
@given(st.text())
def test_a_filled_template_is_one_line_of_printable_characters(text: str) -> None:
    shown = fill_template("<{text}>", {"text": text})

    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in shown)
    assert shown == show_hidden(shown)
    assert (shown == "") is (text == "")


@QUICK
@given(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1))
def test_printable_text_is_shown_unchanged(text: str) -> None:
    assert fill_template("{text}", {"text": text}) == text
    assert fill_template(lambda item: item["text"], {"text": text}) == text


@QUICK
@given(JSON)
def test_a_condition_and_its_negation_are_never_both_met(value: Any) -> None:
    item = {"value": value}

    assert is_met("value", item) is bool(value)
    assert is_met("!value", item) is not is_met("value", item)
    assert is_met(lambda given: given["value"], item) is bool(value)
    assert is_met(None, item)


@QUICK
@given(st.lists(st.one_of(st.none(), st.text("abc", max_size=3)), max_size=5))
def test_joined_parts_are_the_present_ones_in_their_order(values: list[str | None]) -> None:
    item = {f"f{number}": value for number, value in enumerate(values)}
    joined = Joined(" · ", *(f"{{{name}}}" for name in item), before="(", after=")", empty="none")
    present = [value for value in values if value]

    assert joined(item) == (f"({' · '.join(present)})" if present else "none")


def test_a_joined_part_is_left_out_where_its_condition_is_false() -> None:
    joined = Joined(", ", "{name}", Part("cold", when="!zero"), Part("hot", when="zero"))

    assert joined(ITEM) == "kettle, cold"


def test_each_spelling_of_a_part_is_the_same_part() -> None:
    assert to_parts(["{name}", ("{name}", ""), Part("{name}")]) == (Part("{name}"),) * 3


def test_a_style_is_chosen_by_the_text_of_a_value() -> None:
    style = choose_style("state", {"done": "green", "True": "bold"}, "dim")

    assert [resolve_style(style, {"state": value}) for value in ("done", True, None, "else")] == [
        *("green", "bold", "dim", "dim")
    ]
    assert resolve_style("red", {}) == "red"
