"""Blocks of postings of neighbouring terms: fewer rows than one per term.

`read` documents the format of a block.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .read import POSTING_BYTES, UINT32_PAIR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from .read import PackedFields

    Numbers = NDArray[np.int64]

BLOCK_BYTES = 1150
"""Approximate size of a block, so that three share a page; a search reads one block per term and segment."""


def build_blocks(terms: Sequence[bytes], ends: Numbers, fields: PackedFields) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks of these postings, each with its first term.

    Args:
        terms: in UTF-8 and in order.
        ends: end of the postings of each term; each term has at least one.
        fields: all postings, term by term.
    """
    marks = np.concatenate([np.zeros(1, np.int64), ends])
    sizes = POSTING_BYTES * np.diff(marks) + np.fromiter(map(len, terms), np.int64, len(terms))
    before = np.cumsum(sizes) - sizes
    first = np.flatnonzero((np.diff(before // BLOCK_BYTES, prepend=-1) > 0) | (sizes >= BLOCK_BYTES))
    for start, end in pairwise([*first.tolist(), len(terms)]):
        of_block = marks[start : end + 1]
        low, high = int(of_block[0]), int(of_block[-1])
        head = b"\n%b\n" % b"\n".join(terms[start:end])
        parts = (
            UINT32_PAIR.pack(len(head), end - start),
            head,
            (of_block - low).astype("<u4").tobytes(),
            fields[0][4 * low : 4 * high],
            *(field[low:high] for field in fields[1:]),
        )
        yield terms[start].decode(), b"".join(parts)
