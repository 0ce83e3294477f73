"""A sum over the postings of each chunk: two indexes say the same of a chunk just when its two sums are equal."""

from __future__ import annotations

import hashlib
from itertools import islice, pairwise
from typing import TYPE_CHECKING, TypeAlias

from .postings_read import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .postings import Packed

    Hashes: TypeAlias = NDArray[np.uint64]

_AT_ONCE = 20_000
_ODD = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: a multiplication by it spreads over all bits (Knuth, TAOCP 3, 6.4)."""


class Sums:
    """One number for each chunk, 64 bits; the order in which postings come does not count.

    Args:
        size: one more than the greatest chunk number that counts; postings of others are passed over.
    """

    def __init__(self, size: int) -> None:
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never look at postings

        self.values: Hashes = np.zeros(size, np.uint64)
        self._hashes: dict[str, int] = {}

    def add_rows(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Add postings as the table has them; a blob of no whole posting counts as none."""
        left = iter(rows)
        while some := list(islice(left, _AT_ONCE)):
            whole = [(term, blob, len(blob) // SIZE) for term, blob in some if len(blob) % SIZE == 0]
            parts = [
                b"".join(blob[start * k : end * k] for _, blob, k in whole) for start, end in pairwise((0, 4, 5, 6, 7))
            ]
            self._add([term for term, _, _ in whole], [k for _, _, k in whole], parts)

    def add_packed(self, packed: Packed, numbers: Sequence[int]) -> None:
        """Add the postings of documents, their chunks having these numbers."""
        import numpy as np  # noqa: PLC0415 - as above

        counts = [end - start for start, end in pairwise((0, *packed.ends))]
        real = np.asarray(numbers, "<u4")[np.frombuffer(packed.numbers, "<u4")].tobytes()
        self._add(packed.terms, counts, [real, packed.body, packed.name, packed.path])

    def _add(self, terms: Sequence[str], counts: Sequence[int], parts: Sequence[bytes]) -> None:
        import numpy as np  # noqa: PLC0415 - as above

        hashes = np.fromiter(map(self._hash, terms), np.uint64, len(terms))
        numbers = np.frombuffer(parts[0], "<u4")
        body, name, path = (np.frombuffer(part, np.uint8).astype(np.uint64) for part in parts[1:])
        mixed = np.repeat(hashes, counts) + body + (name << np.uint64(8)) + (path << np.uint64(16))
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(_ODD)
        known = numbers < len(self.values)
        np.add.at(self.values, numbers[known], mixed[known])

    def _hash(self, term: str) -> int:
        found = self._hashes.get(term)
        if found is None:
            sealed = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
            found = self._hashes[term] = int.from_bytes(sealed, "little")
        return found
