"""Hidden characters become visible escapes, and nothing else changes."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.cli.render.view.template import fill_template
from aurora.faults import escape_json, show_hidden, show_hidden_line, show_hidden_name, show_hidden_values

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
        ("one\r\ntwo\rthree", "one\ntwo\\x0dthree"),
    ],
)
def test_a_hidden_character_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert show_hidden(text) == shown


@pytest.mark.parametrize("text", ["a\n\tb", "👨\u200d👩\u200d👧", "क्\u200cष", "naïve 東京", r"\x1b is an escape"])
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
    assert fill_template("{path}:{line}", {"path": name, "line": 3}) == f"{shown}:3"


def test_values_are_shown_in_keys_and_at_any_depth() -> None:
    assert show_hidden_values({"a\x1b": [{"b": "\u202e"}, 1, None, True]}) == {
        r"a\x1b": [{"b": r"\u202e"}, 1, None, True]
    }
