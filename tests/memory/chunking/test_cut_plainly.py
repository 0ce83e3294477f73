"""What is worked out in jumps, against the same said plainly."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.chunking.ranges import _assign_owners
from aurora.memory.files.generated import _count_long_line_chars, detect_generated_content

if TYPE_CHECKING:
    from aurora.memory.parsing.outline import Definition

lines = st.text(st.sampled_from("ab é\r\ud800\u2028"), max_size=12)
rows = st.lists(st.sampled_from(["", "  ", "x", "\t}"]), min_size=1, max_size=30)


class Span:
    """As much of a definition as painting looks at."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


@settings(max_examples=50, deadline=None)
@given(st.lists(lines, max_size=12).map("\n".join), st.integers(1, 8))
def test_the_characters_in_long_lines_are_those_of_each_line_over_the_limit(text: str, limit: int) -> None:
    assert _count_long_line_chars(text, limit) == sum(len(line) for line in text.split("\n") if len(line) > limit)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(["\n", " \r\n", "\u2028", ""]), st.sampled_from(["", "# Title\n", "<!-- aurora:end -->\n"]))
def test_the_stamp_of_init_counts_at_the_end_only_and_its_block_by_itself_only(blank: str, other: str) -> None:
    stamp, block = "<!-- aur init 67e8bd1e -->", "<!-- aurora:begin -->\nx\n<!-- aurora:end -->"
    assert detect_generated_content(f"{other}{stamp}{blank}", "markdown") == "`aur init` wrote it"
    assert detect_generated_content(f"{blank}{block}{blank}", "markdown") == "`aur init` wrote it"
    assert detect_generated_content(f"{stamp}{blank}.", "markdown") is None
    assert detect_generated_content(f"{block}{blank}.", "markdown") is None


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_rows_of_one_owner_make_one_run_inner_over_outer(data: st.DataObject) -> None:
    text = data.draw(rows)
    row = st.integers(0, len(text) - 1)
    kept = [Span(*sorted(pair)) for pair in data.draw(st.lists(st.tuples(row, row), max_size=6))]
    owners: list[Any] = [
        next((one for one in reversed(kept) if one.start <= at <= one.end), None) for at in range(len(text))
    ]
    plain = []
    for owner, group in groupby(range(len(text)), key=owners.__getitem__):
        said = [at for at in group if text[at].strip()]
        plain += [(owner, said[0], said[-1], all(owner is not before[0] for before in plain))] if said else []
    runs = _assign_owners(text, cast("list[Definition]", kept))
    assert [(run.owner, run.start, run.end, run.first) for run in runs] == plain
