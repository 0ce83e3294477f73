"""Checksum of the postings of each chunk, to compare two indexes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .read import decode_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .pack import PackedPostings
    from .read import PostingBlock

    Hashes: TypeAlias = NDArray[np.uint64]

_HASH_MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: a multiplication by it spreads over all bits (Knuth, TAOCP 3, 6.4)."""


class ChunkChecksums:
    """64-bit checksum per chunk, independent of the order of postings.

    Args:
        size: one more than the greatest chunk number; postings of other chunks are ignored.
    """

    def __init__(self, size: int) -> None:
        self.values: Hashes = np.zeros(size, np.uint64)
        self._hashes: dict[bytes, int] = {}

    def add_block(self, block: bytes, first: int) -> None:
        """Add the postings of a block; ignore an invalid one."""
        if whole := decode_block(block):
            self._add_postings(whole, np.frombuffer(whole.fields[0], "<u4").astype(np.int64) + first)

    def add_packed(self, packed: PackedPostings, numbers: Sequence[int]) -> None:
        """Add the postings of documents whose chunks have these numbers."""
        real = np.asarray(numbers, np.int64)
        for _, block in packed.blocks:
            if whole := decode_block(block):
                self._add_postings(whole, real[np.frombuffer(whole.fields[0], "<u4")])

    def _add_postings(self, block: PostingBlock, numbers: NDArray[np.int64]) -> None:
        hashes = np.fromiter(map(self._hash_term, block.terms), np.uint64, len(block.terms))
        body, name, path = (np.frombuffer(part, np.uint8).astype(np.uint64) for part in block.fields[1:])
        mixed = np.repeat(hashes, block.counts) + body + (name << np.uint64(8)) + (path << np.uint64(16))
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(_HASH_MULTIPLIER)
        known = numbers < len(self.values)
        np.add.at(self.values, numbers[known], mixed[known])

    def _hash_term(self, term: bytes) -> int:
        found = self._hashes.get(term)
        if found is None:
            sealed = hashlib.blake2b(term, digest_size=8).digest()
            found = self._hashes[term] = int.from_bytes(sealed, "little")
        return found
