"""Postings: where each term of some documents stands, packed for the table; `postings_read` takes it apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from .blocks import blocks
from .count import count
from .values import DocRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .count import Lengths
    from .values import Document

    Numbers = NDArray[np.int64]

MOST = 255
_MOST_IN_PATH = 127
OWN_NAME = 128
"""Added to the count in the path when the term is in the file's own name."""
_LONGEST = 65535


@dataclass(frozen=True, slots=True)
class Packed:
    """The postings of some documents, chunks counted from 0: rows that another process can send as they are.

    Attributes:
        docs: those with a chunk, in order.
        postings: how many there are.
        blocks: in order, each with its first term.
    """

    docs: tuple[DocRow, ...]
    postings: int
    blocks: tuple[tuple[str, bytes], ...]


def pack(documents: Sequence[Document]) -> Packed:
    """The postings of these documents' chunks, numbered in their order from 0."""
    import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never index

    documents = [document for document in documents if document.chunks]
    counts = np.array([len(document.chunks) for document in documents], np.int64)
    found = count(documents, counts)
    postings = (
        found.chunks.astype("<u4").tobytes(),
        np.minimum(found.body, MOST).astype(np.uint8).tobytes(),
        np.minimum(found.name, MOST).astype(np.uint8).tobytes(),
        (np.minimum(found.path, _MOST_IN_PATH) + OWN_NAME * (found.own_name > 0)).astype(np.uint8).tobytes(),
    )
    rows = _rows(documents, counts, found.lengths)
    return Packed(rows, len(found.chunks), tuple(blocks(found.terms, found.ends, postings)))


def _rows(documents: Sequence[Document], counts: Numbers, lengths: Lengths) -> tuple[DocRow, ...]:
    import numpy as np  # noqa: PLC0415 - as above

    of_chunks = np.minimum(lengths.body, _LONGEST).astype("<u2").tobytes()
    ends = np.cumsum(counts).tolist()
    out = []
    for place, (document, (start, end)) in enumerate(zip(documents, pairwise((0, *ends)), strict=True)):
        sums = (int(lengths.body[start:end].sum()), int(lengths.name[start:end].sum()), int(lengths.path[place]))
        out.append(DocRow(document.type, document.path, end - start, *sums, of_chunks[2 * start : 2 * end]))
    return tuple(out)
