r"""Runs of word characters in many texts at once, grouped so that each is read once.

A run consists of identifier characters and of any characters beyond ASCII. So each run of `\w` is inside one run, and
the terms of a text are those of its runs; which characters beyond ASCII are letters is decided when a run is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Hashes = NDArray[np.uint64]

MAX_COMPARED = 64
"""Bytes; a longer run is not compared with others, and is listed once per occurrence."""


_ASCII_SIZE = 128

_IS_RUN_BYTE = bytes(byte >= _ASCII_SIZE or chr(byte).isalnum() or byte == ord("_") for byte in range(256))

_EIGHT = 8

HASH_MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: a multiplication by it spreads over all bits (Knuth, TAOCP 3, 6.4)."""


class Runs(NamedTuple):
    """Runs of texts; the last two have one element per occurrence, ordered as `spelt`.

    Attributes:
        spelt: each run, in UTF-8; a run may be listed more than once.
        which: rising position in `spelt` of each occurrence.
        texts: position of its text.
    """

    spelt: list[bytes]
    which: Numbers
    texts: Numbers


def find_runs(texts: Sequence[str]) -> Runs:
    """Find all runs of these texts."""
    # All texts become one, so that NumPy finds the runs of all of them at once.
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    data = b"\n".join([*encoded, bytes(_EIGHT)])  # padding, so that eight bytes can be read from the start of every run
    inside = np.frombuffer(data.translate(_IS_RUN_BYTE), np.bool_)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    # A text that begins within a run has no edge there.
    if inside[0]:
        edges = np.concatenate([[0], edges])
    starts, sizes = edges[::2], edges[1::2] - edges[::2]
    text_ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)) + 1)
    counts = np.diff(np.searchsorted(starts, text_ends), prepend=0)

    order = _group_equal_runs(data, starts, sizes)
    of_text = np.repeat(np.arange(len(texts)), counts)[order]
    starts, sizes = starts[order], sizes[order]
    first = _mark_first_runs(data, starts, sizes)
    begin = starts[first]
    spelt = [data[start:end] for start, end in zip(begin.tolist(), (begin + sizes[first]).tolist(), strict=True)]
    return Runs(spelt, np.cumsum(first) - 1, of_text)


def _group_equal_runs(data: bytes, starts: Numbers, sizes: Numbers) -> Numbers:
    """Return an order with equal runs adjacent, up to hash collisions."""
    hashes = np.zeros(len(starts), np.uint64)
    for some, eight in _iter_eight_bytes(data, starts, sizes):
        mixed = hashes[some]
        hashes[some] = (mixed ^ (mixed >> np.uint64(29)) ^ eight) * np.uint64(HASH_MULTIPLIER)
    # Sorting numbers with the position in their low bits costs a fifth of sorting positions by numbers.
    low = np.uint64((1 << len(starts).bit_length()) - 1)
    keys = (hashes & ~low) | np.arange(len(starts), dtype=np.uint64)
    keys.sort()
    return (keys & low).astype(np.int64)


def _mark_first_runs(data: bytes, starts: Numbers, sizes: Numbers) -> NDArray[np.bool_]:
    """Mark the runs that differ from the one before, byte by byte."""
    first = np.ones(len(starts), np.bool_)
    # Equal hashes do not prove equal runs, so neighbours are compared byte by byte.
    first[1:] = (sizes[1:] != sizes[:-1]) | (sizes[1:] > MAX_COMPARED)
    for some, eight in _iter_eight_bytes(data, starts, sizes):
        first[some[1:][eight[1:] != eight[:-1]]] = True
    return first


def _iter_eight_bytes(data: bytes, starts: Numbers, sizes: Numbers) -> Iterator[tuple[Numbers, Hashes]]:
    """Yield eight bytes at a time of the runs as numbers, up to `MAX_COMPARED` bytes.

    Yields:
        The positions of the runs, and their numbers; a run that ends within the eight is padded with zeros, which
        occur in no run.
    """
    everywhere = np.ndarray((len(data) - _EIGHT + 1,), "<u8", data, 0, (1,))
    masks = np.array([(1 << 8 * count) - 1 for count in range(_EIGHT + 1)], np.uint64)
    for skipped in range(0, MAX_COMPARED, _EIGHT):
        some = np.flatnonzero(sizes > skipped)
        if not len(some):
            return
        yield some, everywhere[starts[some] + skipped] & masks[np.minimum(sizes[some] - skipped, _EIGHT)]
