"""Excerpts of chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aurora.memory import build_excerpt

CODE = '''@cached
def load(path, *, retries=3):
    """Load a file."""
    text = ""

    for attempt in range(retries):
        text = read(path)
        if text:
            break
    total = 0
    for line in text.splitlines():
        total += len(line)
    delay = backoff(attempt)
    return text, total, delay
'''


def test_a_text_that_fits_is_whole_without_blank_lines_and_indentation() -> None:
    assert build_excerpt("    a = 1\n\n      b = 2\n", "anything", max_chars=100) == "a = 1\n  b = 2"


def test_the_symbol_and_the_lines_of_the_question_are_kept() -> None:
    shown = build_excerpt(CODE, "how is the backoff delay computed", "load", max_chars=120)
    assert "def load(path" in shown
    assert "delay = backoff(attempt)" in shown
    assert len(shown) <= 120
    assert "…" in shown


def test_a_query_without_a_match_shows_the_beginning() -> None:
    assert build_excerpt(CODE, "zebra", "load", max_chars=90).splitlines()[1].startswith("def load")


@given(st.text(alphabet="ab (){}\n\t.", max_size=600), st.text(max_size=40), st.integers(1, 300))
def test_an_excerpt_has_lines_of_the_text_in_their_order_and_fits(text: str, query: str, most: int) -> None:
    shown = build_excerpt(text, query, max_chars=most)
    assert len(shown) <= most
    rest = iter(line.strip() for line in text.splitlines())
    for line in shown.splitlines()[:-1]:
        wanted = line.strip()
        assert wanted == "…" or any(one.startswith(wanted) for one in rest)
