"""A symbol's line is that with the whole word, as a pattern finds it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from aurora.memory.search.excerpts import find_symbol_line

_LINES = st.lists(st.text(alphabet="aab_é1 .(#²", max_size=12), min_size=1, max_size=4)


@given(_LINES, st.text(alphabet="ab_é1²", min_size=1, max_size=3))
def test_the_line_of_a_symbol_is_the_one_that_a_pattern_of_the_whole_word_finds(lines: list[str], name: str) -> None:
    last = re.split(r"\W+", name)[-1]
    pattern = re.compile(rf"(?<!\w){re.escape(last)}(?!\w)")
    expected = next((i for i, line in enumerate(lines) if pattern.search(line) and not line.startswith("#")), 0)

    assert find_symbol_line(lines, name) == (expected if last else 0)
