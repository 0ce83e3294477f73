from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.text_index.read import (
    build_blocks,
    decode_block,
    encode_term_line,
    find_postings,
)

if TYPE_CHECKING:
    from aurora.memory.text_index.read import PackedFields

_TERMS = st.dictionaries(st.text("aé東_9", min_size=1, max_size=70), st.integers(1, 900), max_size=40)


def made(terms: dict[str, int]) -> tuple[list[tuple[str, bytes]], dict[str, PackedFields]]:
    """The blocks of terms that have so many postings, and each one's own."""
    spelt = sorted(terms)
    ends = list(accumulate(terms[term] for term in spelt))
    count = ends[-1] if ends else 0
    numbers = np.arange(count, dtype="<u4").tobytes()
    one, two, three = (bytes((number * factor) % 251 for number in range(count)) for factor in (1, 3, 5))
    spans = {term: (end - terms[term], end) for term, end in zip(spelt, ends, strict=True)}
    own = {
        term: (numbers[4 * start : 4 * end], one[start:end], two[start:end], three[start:end])
        for term, (start, end) in spans.items()
    }
    encoded = [term.encode() for term in spelt]
    return list(build_blocks(encoded, np.array(ends, np.int64), (numbers, one, two, three))), own


@settings(max_examples=50)
@given(_TERMS)
def test_every_term_is_found_with_its_own_postings_in_the_last_block_that_begins_before_it(
    terms: dict[str, int],
) -> None:
    rows, own = made(terms)
    assert [first for first, _ in rows] == sorted({first for first, _ in rows})
    for term, fields in own.items():
        last = max(first for first, _ in rows if first <= term)
        assert find_postings(dict(rows)[last], encode_term_line(term)) == fields
        assert [block for first, block in rows if first != last and find_postings(block, encode_term_line(term))] == []
    read = [decode_block(block) for _, block in rows]
    assert [term for block in read if block for term in block.terms] == sorted(term.encode() for term in terms)
    assert [int(count) for block in read if block for count in block.counts] == [terms[term] for term in sorted(terms)]


def test_a_term_is_no_part_of_another_one() -> None:
    ((_, block),), _ = made({"read": 1, "read_ahead": 1, "bread": 1})
    assert find_postings(block, encode_term_line("rea")) is None
    assert find_postings(block, encode_term_line("ead")) is None
    assert find_postings(block, encode_term_line("ahead")) is None


@settings(max_examples=50)
@given(_TERMS.filter(bool), st.data())
def test_a_damaged_block_decodes_to_nothing_or_its_content_and_never_raises(
    terms: dict[str, int], data: st.DataObject
) -> None:
    rows, _ = made(terms)
    block = bytearray(data.draw(st.sampled_from(rows))[1])
    for place in data.draw(st.lists(st.integers(0, min(len(block), 60) - 1), max_size=4)):
        block[place] = data.draw(st.integers(0, 255))
    torn = bytes(block[: data.draw(st.integers(0, len(block)))])
    whole = decode_block(torn)
    assert whole is None or sum(whole.counts) == len(whole.fields[1])
    for term in terms:
        fields = find_postings(torn, encode_term_line(term))
        assert fields is None or len(fields[0]) == 4 * len(fields[1]) == 4 * len(fields[3])


@pytest.mark.parametrize("torn", [b"", b"abc", bytes(4), bytes(400), b"\xff" * 400, b"\x03\0\0\0\x01\0\0\0\na\n"])
def test_an_invalid_block_decodes_to_nothing(torn: bytes) -> None:
    assert decode_block(torn) is None
    assert find_postings(torn, encode_term_line("a")) is None
