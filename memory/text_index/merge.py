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

_AT_ONCE = 8192
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
    lows = list(dict.fromkeys(db.postings.list_first_terms(segments)[::_AT_ONCE]))
    for low, high in zip_longest(lows, lows[1:]):
        bodies = db.postings.iter_blocks_between(segments, low, high)
        held = [(first, block) for first, body in bodies if (block := decode_block(body))]
        end = None if high is None else high.encode()
        yield _merge_range(held, low.encode(), end, live)


def _merge_range(
    held: Sequence[tuple[int, PostingBlock]], low: bytes, high: bytes | None, live: Numbers
) -> tuple[int, Iterator[tuple[str, bytes]]]:
    """Merge the postings of the terms from `low` to below `high`, by term and chunk."""
    said = [term for _, block in held for term in block.terms]
    spelt = sorted({term for term in said if low <= term and (high is None or term < high)})
    place = {term: number for number, term in enumerate(spelt)}
    rank = np.fromiter((place.get(term, -1) for term in said), np.int64, len(said))
    term = np.repeat(rank, _concatenate([block.counts for _, block in held]))
    n = _concatenate([np.frombuffer(block.fields[0], "<u4").astype(np.int64) + first for first, block in held])
    kept = np.flatnonzero((term >= 0) & _is_live(n, live))
    order = kept[np.argsort((term[kept] << 32) | n[kept])]
    whole = (np.frombuffer(b"".join(block.fields[part] for _, block in held), np.uint8) for part in (1, 2, 3))
    body, name, path = (counts[order].tobytes() for counts in whole)
    fields = (n[order].astype("<u4").tobytes(), body, name, path)
    counts = np.bincount(term[order], minlength=len(spelt))
    there = np.flatnonzero(counts)
    return len(order), build_blocks([spelt[number] for number in there.tolist()], np.cumsum(counts[there]), fields)


def _is_live(n: Numbers, live: Numbers) -> NDArray[np.bool_]:
    if not len(live):
        return np.zeros(len(n), np.bool_)
    at = np.searchsorted(live[:, 0], n, "right") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (n <= live[at, 1])
    return inside


def _concatenate(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
