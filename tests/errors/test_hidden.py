"""Hidden characters become visible escapes, and nothing else changes."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.errors import escape_json, show_hidden, show_hidden_line, show_hidden_name, show_hidden_values
from tests.growth import is_linear

KEPT_FORMATS = "\u200c\u200d" + "".join(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2)))
"""Joiners, and number signs of Arabic, which are visible."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("gnp\u202e.exe", r"gnp\u202e.exe"),
        ("\x9b31m\x7f", r"\x9b31m\x7f"),
        ("a\u200bb\ufeff\u2028", r"a\u200bb\ufeff\u2028"),
        ("\U000e0041", r"\U000e0041"),
        ("half \ud83d", r"half \ud83d"),
        ("a\u034fb\u115fc\u1160d\u3164e\uffa0", r"a\u034fb\u115fc\u1160d\u3164e\uffa0"),
        ("\u17b4\u17b5", r"\u17b4\u17b5"),
        ("a\U000e0100\U000e01ef", r"a\U000e0100\U000e01ef"),
        ("a\ufe0f\ufe00\ufe01b", "a\ufe0f" + r"\ufe00\ufe01b"),
        ("\ufe0fa \ufe0e\n\ufe01", r"\ufe0fa \ufe0e" + "\n" + r"\ufe01"),
        ("a\u200d\ufe0fb\u200b\ufe0f", "a\u200d" + r"\ufe0fb\u200b\ufe0f"),
        ("one\r\ntwo\rthree", "one\ntwo\\x0dthree"),
    ],
)
def test_a_hidden_character_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert show_hidden(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "a\n\tb",
        "👨\u200d👩\u200d👧",
        "क्\u200cष",
        "naïve 東京",
        "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3",
        r"\x1b is an escape",
    ],
)
def test_text_that_people_write_stays_as_it_is(text: str) -> None:
    assert show_hidden(text) == text


def test_a_line_has_no_breaks() -> None:
    assert show_hidden_line("a\nb\tc\x1b") == r"a b c\x1b"


@given(st.text(st.characters(codec=None), max_size=60))
def test_no_control_survives_and_a_second_call_changes_nothing(text: str) -> None:
    shown = show_hidden(text)

    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} and char not in "\n\t"]
    assert show_hidden(shown) == shown


def test_every_format_character_below_the_supplementary_planes_is_shown_or_a_known_exception() -> None:
    formats = [chr(code) for code in range(0xFFFF) if unicodedata.category(chr(code)) == "Cf"]

    assert [char for char in formats if show_hidden(char) == char and char not in KEPT_FORMATS] == []


IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x200B, 0x200E, 0x200F),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
]
"""Property Default_Ignorable_Code_Point of Unicode 16, DerivedCoreProperties.txt, without the joiners."""


def test_no_two_characters_that_unicode_calls_ignorable_follow_each_other() -> None:
    for code in IGNORABLE:
        for shown in (show_hidden(chr(code) * 9), show_hidden(f"a\ufe0f{chr(code)}")[2:]):
            assert shown.isascii(), hex(code)


@pytest.mark.parametrize("piece", ["\ufe0f", "a\ufe0f", "\U000e0100", "\u200d\ufe0f"])
def test_a_text_of_selectors_takes_linear_time(piece: str) -> None:
    for run in (show_hidden, escape_json):
        assert is_linear(run, piece * 20_000, piece * 200_000)


@given(st.text(st.sampled_from("a \n\r\u200b\u200d\ufe0f\ufe00\u180b\U000e0100"), max_size=12))
def test_a_second_call_changes_no_selector(text: str) -> None:
    assert show_hidden(show_hidden(text)) == show_hidden(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_escaped_json_has_the_same_value(text: str) -> None:
    escaped = escape_json(json.dumps({"a": text}, ensure_ascii=False))

    assert json.loads(escaped) == {"a": text}
    assert show_hidden(escaped) == escaped


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a\nb.py", r"a\nb.py"), ("a\tb.py", r"a\tb.py"), ("a\r\nb\x1b.py", r"a\x0d\nb\x1b.py"), ("a b.py", "a b.py")],
)
def test_a_name_is_shown_with_its_tabs_and_line_breaks(name: str, shown: str) -> None:
    assert show_hidden_name(name) == shown


def test_values_are_shown_in_keys_and_at_any_depth() -> None:
    assert show_hidden_values({"a\x1b": [{"b": "\u202e"}, 1, None, True]}) == {
        r"a\x1b": [{"b": r"\u202e"}, 1, None, True]
    }
