"""Detection of generated files, compared with a plain computation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.files.language import _count_long_line_chars, detect_generated_content

lines = st.text(st.sampled_from("ab é\r\ud800\u2028"), max_size=12)


@settings(max_examples=50)
@given(st.lists(lines, max_size=12).map("\n".join), st.integers(1, 8))
def test_the_characters_of_long_lines_are_counted_for_each_line_over_the_limit(text: str, limit: int) -> None:
    assert _count_long_line_chars(text, limit) == sum(len(line) for line in text.split("\n") if len(line) > limit)


@settings(max_examples=50)
@given(st.sampled_from(["\n", " \r\n", "\u2028", ""]), st.sampled_from(["", "# Title\n", "<!-- aurora:end -->\n"]))
def test_the_init_stamp_counts_only_at_the_end_and_its_block_only_alone(blank: str, other: str) -> None:
    stamp, block = "<!-- aur init 67e8bd1e -->", "<!-- aurora:begin -->\nx\n<!-- aurora:end -->"
    assert detect_generated_content(f"{other}{stamp}{blank}", "markdown") == "`aur init` wrote it"
    assert detect_generated_content(f"{blank}{block}{blank}", "markdown") == "`aur init` wrote it"
    assert detect_generated_content(f"{stamp}{blank}.", "markdown") is None
    assert detect_generated_content(f"{block}{blank}.", "markdown") is None
