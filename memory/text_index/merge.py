"""Merge of index segments, one range of terms at a time to bound memory."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from .blocks import build_blocks
from .read import decode_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from aurora.memory.storage import Tables

    from .read import PostingBlock

    Numbers = NDArray[np.int64]

_BLOCKS_PER_RANGE = 8192
"""Blocks per range of terms; some ten megabytes."""


def iter_merged_postings(db: Tables, segments: Sequence[int]) -> Iterator[tuple[int, Iterator[tuple[str, bytes]]]]:
    """Yield the live postings of these segments as blocks of one segment from number 0.

    Args:
        db: an open transaction.
        segments: their numbers.

    Yields:
        Per range of terms the number of postings, and their blocks, each with its first term.
    """
    live = np.array(db.postings.list_ranges(), np.int64).reshape(-1, 2)
    lows = list(dict.fromkeys(db.postings.list_first_terms(segments)[::_BLOCKS_PER_RANGE]))
    for low, high in zip_longest(lows, lows[1:]):
        bodies = db.postings.iter_blocks_between(segments, low, high)
        blocks = [(first, block) for first, body in bodies if (block := decode_block(body))]
        end = None if high is None else high.encode()
        yield _merge_range(blocks, low.encode(), end, live)


def _merge_range(
    blocks: Sequence[tuple[int, PostingBlock]], low: bytes, high: bytes | None, live: Numbers
) -> tuple[int, Iterator[tuple[str, bytes]]]:
    """Merge the postings of the terms from `low` to below `high`, by term and chunk."""
    terms = [term for _, block in blocks for term in block.terms]
    ordered = sorted({term for term in terms if low <= term and (high is None or term < high)})
    place = {term: number for number, term in enumerate(ordered)}
    rank = np.fromiter((place.get(term, -1) for term in terms), np.int64, len(terms))
    term = np.repeat(rank, _concatenate([block.counts for _, block in blocks]))
    n = _concatenate([np.frombuffer(block.fields[0], "<u4").astype(np.int64) + first for first, block in blocks])
    selected = np.flatnonzero((term >= 0) & _is_live(n, live))
    order = selected[np.argsort((term[selected] << 32) | n[selected])]
    body, name, path = (_join_field(blocks, field)[order].tobytes() for field in (1, 2, 3))
    fields = (n[order].astype("<u4").tobytes(), body, name, path)
    counts = np.bincount(term[order], minlength=len(ordered))
    present = np.flatnonzero(counts)
    spelt = [ordered[number] for number in present.tolist()]
    return len(order), build_blocks(spelt, np.cumsum(counts[present]), fields)


def _join_field(blocks: Sequence[tuple[int, PostingBlock]], field: int) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(block.fields[field] for _, block in blocks), np.uint8)


def _is_live(n: Numbers, live: Numbers) -> NDArray[np.bool_]:
    if not len(live):
        return np.zeros(len(n), np.bool_)
    at = np.searchsorted(live[:, 0], n, "right") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (n <= live[at, 1])
    return inside


def _concatenate(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
