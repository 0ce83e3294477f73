"""A term's postings as a search sees them, out of the blobs that `postings` wrote, at the price of their length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

SIZE = 7
"""Bytes of one posting."""


class Posting(NamedTuple):
    """One term's postings; arrays of the same length, the chunk numbers rising."""

    n: NDArray[np.uint32]
    body: NDArray[np.uint8]
    name: NDArray[np.uint8]
    path: NDArray[np.uint8]


def unpack(blobs: Sequence[bytes]) -> Posting:
    """One term's postings, out of its blobs in all segments; blobs of no whole posting are left out."""
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

    whole = [(blob, len(blob) // SIZE) for blob in blobs if len(blob) % SIZE == 0]
    n = np.frombuffer(b"".join(blob[: 4 * k] for blob, k in whole), "<u4")
    parts = (b"".join(blob[field * k : (field + 1) * k] for blob, k in whole) for field in (4, 5, 6))
    fields = [np.frombuffer(part, np.uint8) for part in parts]
    if len(n) > 1 and not (n[1:] > n[:-1]).all():  # merged segments lie between each other
        order = np.argsort(n, kind="stable")
        n, fields = n[order], [field[order] for field in fields]
    return Posting(n, *fields)
