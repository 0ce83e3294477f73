"""Long texts are split into pages that fit, and nothing is lost between them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.faults import Code, Fault
from aurora.tools.text import count_json_chars, cut_page

TEXTS = st.text(st.sampled_from('ab\n"\\\t\x00\x1fü🦀 '), max_size=2000)


@given(TEXTS, st.integers(60, 500))
def test_the_pages_of_a_text_are_complete_and_each_fits(text: str, room: int) -> None:
    parts, offset = [], 0
    while True:
        one = cut_page(text, offset, room)
        assert count_json_chars(one.text) <= room
        assert one.total == len(text)
        parts.append(one.text)
        if one.next is None:
            break
        assert one.next > offset
        offset = one.next
    assert "".join(parts) == text


def test_a_page_ends_at_a_line_break_if_possible() -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    one = cut_page(text, 0, 200)
    assert one.text.endswith("\n")
    assert text[one.next :].startswith("line ")


def test_an_offset_past_the_end_is_refused_with_the_length() -> None:
    with pytest.raises(Fault, match="offset 9 is past the end: the text has 3 characters") as caught:
        cut_page("abc", 9, 100)
    assert caught.value.code is Code.INVALID_INPUT


def test_an_empty_text_is_one_empty_page() -> None:
    one = cut_page("", 0, 100)
    assert (one.text, one.next) == ("", None)


def test_the_length_is_that_of_compact_json() -> None:
    assert count_json_chars('a"\n') == len(json.dumps('a"\n', ensure_ascii=False))
