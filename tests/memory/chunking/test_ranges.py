"""Row ranges compared with a plain computation of the owner of each row."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.chunking.split import _assign_owners

if TYPE_CHECKING:
    from aurora.memory.parsing.outline import Definition

rows = st.lists(st.sampled_from(["", "  ", "x", "\t}"]), min_size=1, max_size=30)


class Span:
    """The attributes of a definition that the assignment of rows reads."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


@settings(max_examples=50)
@given(st.data())
def test_each_row_belongs_to_its_innermost_definition(data: st.DataObject) -> None:
    text = data.draw(rows)
    row = st.integers(0, len(text) - 1)
    kept = [Span(*sorted(pair)) for pair in data.draw(st.lists(st.tuples(row, row), max_size=6))]
    owners: list[Any] = [
        next((span for span in reversed(kept) if span.start <= at <= span.end), None) for at in range(len(text))
    ]
    expected: list[tuple[Any, int, int, bool]] = []
    for owner, group in groupby(range(len(text)), key=owners.__getitem__):
        filled = [at for at in group if text[at].strip()]
        if filled:
            is_first = all(owner is not before[0] for before in expected)
            expected.append((owner, filled[0], filled[-1], is_first))
    ranges = _assign_owners(text, cast("list[Definition]", kept))
    assert [(each.owner, each.start, each.end, each.first) for each in ranges] == expected
