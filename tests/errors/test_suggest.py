"""A misspelt name gets the suggestion that a person expects, and no suggestion where none is similar."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aurora.errors import did_you_mean, find_nearest, find_unambiguous, list_names, quote_names
from aurora.tools.core import ToolRegistry

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
CHOICES = st.lists(NAMES, max_size=8)
TOOLS = ToolRegistry().names()
QUICK = settings(max_examples=50)


@QUICK
@given(NAMES, CHOICES)
def test_a_suggestion_is_one_of_the_known_names(word: str, known: list[str]) -> None:
    assert find_nearest(word, known) in {*known, None}


@QUICK
@given(NAMES, CHOICES)
def test_what_is_fixed_without_asking_is_what_would_be_suggested(word: str, known: list[str]) -> None:
    assert find_unambiguous(word, known) in {find_nearest(word, known), None}


@QUICK
@given(st.data(), st.lists(NAMES, min_size=1, max_size=8, unique_by=str.casefold))
def test_a_known_name_in_any_case_is_found_itself(data: st.DataObject, known: list[str]) -> None:
    name = data.draw(st.sampled_from(known))

    assert find_nearest(name, known) == find_unambiguous(name, known) == name
    assert find_nearest(name.casefold(), known) == name


@QUICK
@given(CHOICES)
def test_quoted_names_are_sorted_and_each_is_there(known: list[str]) -> None:
    assert quote_names(known) == ", ".join(f'"{name}"' for name in sorted(known))
    assert quote_names(known) == quote_names(reversed(known))


@QUICK
@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=40), st.integers(1, 30))
def test_a_list_of_names_counts_what_it_cuts(known: list[str], most: int) -> None:
    shown = list_names(known, most)

    assert shown.count('"') == 2 * min(len(known), most)
    assert shown.endswith(f" and {len(known) - most} more") is (len(known) > most)


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_whose_first_two_letters_are_swapped_is_suggested(name: str) -> None:
    misspelt = name[1] + name[0] + name[2:]

    assert misspelt not in TOOLS
    assert find_nearest(misspelt, TOOLS) == name


@pytest.mark.parametrize(
    ("word", "known", "nearest", "sure"),
    [
        ("serach", ["search", "stats"], "search", "search"),
        ("SEARCH", ["search", "stats"], "search", "search"),
        ("xyz", ["search", "stats"], None, None),
        ("", ["search"], None, None),
        ("search", [], None, None),
        ("themes", ["theme", "Themes"], "Themes", "Themes"),
        ("phase_x", ["phase_a", "phase_b"], "phase_b", None),
        ("straße", ["STRASSE"], "STRASSE", "STRASSE"),
        ("description", ["inscription", "prescription"], "prescription", None),
    ],
)
def test_a_word_has_its_suggestion(word: str, known: list[str], nearest: str | None, sure: str | None) -> None:
    assert (find_nearest(word, known), find_unambiguous(word, known)) == (nearest, sure)


def test_of_names_that_differ_only_by_case_the_first_is_suggested() -> None:
    assert find_nearest("TEA", ["Tea", "tea"]) == "Tea"


def test_a_question_is_asked_only_where_a_name_is_similar() -> None:
    assert did_you_mean("saor", ["soar", "design"]) == 'did you mean "soar"?'
    assert did_you_mean("kettle", ["soar", "design"]) == ""


def test_a_word_of_a_million_letters_is_compared_by_its_beginning() -> None:
    known = ["a" * 80, "search"]

    assert find_nearest("a" * 1_000_000, known) == known[0]
    assert find_nearest("search" + "x" * 1_000_000, known) is None


@QUICK
@given(NAMES, st.lists(NAMES, min_size=1, max_size=5))
def test_the_order_of_the_known_names_does_not_decide_whether_there_is_a_suggestion(
    word: str, known: list[str]
) -> None:
    assume(len({name.casefold() for name in known}) == len(known))

    assert (find_nearest(word, known) is None) is (find_nearest(word, known[::-1]) is None)
