"""Encoding of documents as postings for the table; `read` decodes them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .blocks import build_blocks
from .count import count_terms
from .read import OWN_NAME_BIT
from .values import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .count import FieldLengths
    from .values import Document

    Numbers = NDArray[np.int64]

MAX_COUNT = 255
_MAX_PATH_COUNT = 127
_MAX_LENGTH = 65535


@dataclass(frozen=True, slots=True)
class PackedPostings:
    """Encoded postings of documents, with chunks counted from 0; cheap to pickle.

    Attributes:
        docs: the documents with chunks, in order.
        postings: their number.
        blocks: in order, each with its first term.
    """

    docs: tuple[DocumentRow, ...]
    postings: int
    blocks: tuple[tuple[str, bytes], ...]


def pack_documents(documents: Sequence[Document]) -> PackedPostings:
    """Encode the postings of these documents' chunks, numbered from 0."""
    documents = [document for document in documents if document.chunks]
    counts = np.array([len(document.chunks) for document in documents], np.int64)
    found = count_terms(documents, counts)
    postings = (
        found.chunks.astype("<u4").tobytes(),
        np.minimum(found.body, MAX_COUNT).astype(np.uint8).tobytes(),
        np.minimum(found.name, MAX_COUNT).astype(np.uint8).tobytes(),
        (np.minimum(found.path, _MAX_PATH_COUNT) + OWN_NAME_BIT * (found.own_name > 0)).astype(np.uint8).tobytes(),
    )
    rows = _build_rows(documents, counts, found.lengths)
    return PackedPostings(rows, len(found.chunks), tuple(build_blocks(found.terms, found.ends, postings)))


def _build_rows(documents: Sequence[Document], counts: Numbers, lengths: FieldLengths) -> tuple[DocumentRow, ...]:
    of_chunks = np.minimum(lengths.body, _MAX_LENGTH).astype("<u2").tobytes()
    ends = np.cumsum(counts).tolist()
    out = []
    for place, (document, (start, end)) in enumerate(zip(documents, pairwise((0, *ends)), strict=True)):
        sums = (int(lengths.body[start:end].sum()), int(lengths.name[start:end].sum()), int(lengths.path[place]))
        out.append(DocumentRow(document.type, document.path, end - start, *sums, of_chunks[2 * start : 2 * end]))
    return tuple(out)
