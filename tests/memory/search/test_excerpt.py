"""Excerpts of chunks."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurora.memory import Chunk, build_excerpt
from aurora.memory.search import shorten_excerpt

CODE = '''@cached
def load(path, *, retries=3):
    """Load a file."""
    text = ""

    for attempt in range(retries):
        text = read(path)
        note(attempt)
        if text:
            break
        if attempt > 1:
            log("again")
            delay = backoff(attempt)
            sleep(delay)
    total = 0
    for line in text.splitlines():
        total += len(line)
    return text, total, delay'''


def excerpt(text: str, query: str, symbol: str = "", *, room: tuple[int, int] = (12, 900), first: int = 1) -> str:
    chunk = Chunk("code:1", "code", "a.py" if first else None, first, first + 9, symbol, "function", "python", text)
    return build_excerpt(chunk, query, max_lines=room[0], max_chars=room[1])


def test_a_text_that_fits_is_whole_with_its_numbers_and_indentation() -> None:
    assert excerpt("    a = 1\n\n      b = 2\n", "anything", first=7) == "7:    a = 1\n8:\n9:      b = 2"


def test_a_record_has_no_numbers() -> None:
    assert excerpt("Two lines,\none fact.", "fact", first=0) == "Two lines,\none fact."


def test_the_signature_and_the_matching_lines_stand_in_their_blocks_with_marks_of_gaps() -> None:
    assert excerpt(CODE, "how is the backoff delay computed", "load", room=(7, 900), first=10).splitlines() == [
        "…",
        "11:def load(path, *, retries=3):",
        "…",
        "15:    for attempt in range(retries):",
        "…",
        "20:        if attempt > 1:",
        '21:            log("again")',
        "22:            delay = backoff(attempt)",
        "23:            sleep(delay)",
        "…",
        "27:    return text, total, delay",
    ]


def test_the_signature_of_several_lines_is_shown() -> None:
    text = "def load(\n    path,\n    retries=3,\n):\n" + "    step()\n" * 20
    assert excerpt(text, "zebra", "load", room=(4, 900)).splitlines() == [
        "1:def load(",
        "2:    path,",
        "3:    retries=3,",
        "4:):",
        "…",
    ]


def test_the_line_of_the_symbol_is_found_below_its_comments_and_decorators() -> None:
    about = "/** Reads the next value.\n * Nothing is skipped: skip() does that.\n */\n@Override\n"
    shown = excerpt(f"{about}public int next() {{\n  return 1;\n}}", "next", "Reader.next", room=(2, 900))
    assert "5:public int next() {" in shown.splitlines()


def test_a_query_without_a_match_shows_the_beginning() -> None:
    assert excerpt(CODE, "zebra", "load", room=(2, 900)).splitlines() == [
        "…",
        "2:def load(path, *, retries=3):",
        '3:    """Load a file."""',
        "…",
    ]


def test_a_long_line_is_cut_around_the_word() -> None:
    shown = excerpt("start\n" + "x" * 500 + " needle " + "y" * 500_000, "needle")
    assert "…xxx" in shown
    assert "needle yyy" in shown
    assert len(shown) < 200


def test_a_text_of_very_many_matching_lines_is_cut_at_once() -> None:
    began = time.process_time()
    shown = excerpt("head\n" + "    needle\n" * 100_000, "needle", room=(60, 6000), first=0)
    assert time.process_time() - began < 5
    assert len(shown.splitlines()) <= 62


@pytest.mark.parametrize(
    ("most", "shown"),
    [(100, "1:first\n…\n7:seventh\n8:eighth"), (24, "1:first\n…\n7:seventh\n…"), (12, "1:first\n…"), (5, "1:fi…")],
)
def test_a_shortened_excerpt_ends_with_a_line_and_a_mark(most: int, shown: str) -> None:
    assert shorten_excerpt("1:first\n…\n7:seventh\n8:eighth", most) == shown


@given(st.text(alphabet="ab (){}\n\t.", max_size=600), st.text(max_size=40), st.integers(1, 300), st.integers(1, 20))
def test_an_excerpt_has_lines_of_the_text_with_their_numbers_and_fits(
    text: str, query: str, most: int, lines: int
) -> None:
    shown = excerpt(text, query, room=(lines, most), first=5)
    assert len(shown) <= most
    rows = text.split("\n")
    expected = 5
    for line in shown.split("\n")[:-1]:
        number, colon, body = line.partition(":")
        if not colon:
            assert line == "…"
            expected = 0
            continue
        assert rows[int(number) - 5].startswith(body)
        assert expected in {0, int(number)}
        expected = int(number) + 1
