"""Occurrences and idf of query terms in the visible chunks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.text_index import OWN_NAME_BIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.text_index import PostingList, TextIndex

    Numbers = NDArray[np.int64]
    Floats = NDArray[np.float32]


class TermOccurrences(NamedTuple):
    """Occurrences of one term in one chunk type; one element per chunk.

    Attributes:
        chunk: positions among the chunk numbers, rising.
        doc: position of each chunk's document.
        body, name, path: counts in the text, in the defined names, and in the path.
        stem: True when the term is in the file's own name.
        chunk_idf, doc_idf: ln(1 + (N - n + 0.5) / (n + 0.5)) among the chunks, and among the documents, of the type.
    """

    chunk: Numbers
    doc: Numbers
    body: Floats
    name: Floats
    path: Floats
    stem: NDArray[np.bool_]
    chunk_idf: float
    doc_idf: float


class VisibleScope(NamedTuple):
    """Visible documents by position, and rising chunk numbers; None means all."""

    documents: NDArray[np.bool_] | None = None
    chunks: Numbers | None = None


def find_occurrences(
    index: TextIndex,
    postings: Mapping[str, PostingList],
    terms: Sequence[str],
    type_: int,
    visible: VisibleScope,
) -> list[TermOccurrences]:
    """Find the occurrences of each term in the live chunks of one type.

    Args:
        index: the current text index.
        postings: posting lists by term; a term without one has the highest idf, and covers nothing.
        terms: the query's terms, in order.
        type_: position in `index.types`.
        visible: the visible chunks; idf counts all chunks.
    """
    return [_find_term_occurrences(index, postings.get(term), type_, visible) for term in terms]


def weigh_occurrences(
    occurrences: Sequence[TermOccurrences], terms: Sequence[str], weights: Mapping[str, float]
) -> list[TermOccurrences]:
    """Multiply the idf of each term by its weight in the query; 1 for a term without one."""
    return [
        one._replace(chunk_idf=one.chunk_idf * weights.get(term, 1.0), doc_idf=one.doc_idf * weights.get(term, 1.0))
        for term, one in zip(terms, occurrences, strict=True)
    ]


def _find_term_occurrences(
    index: TextIndex, posting: PostingList | None, type_: int, visible: VisibleScope
) -> TermOccurrences:
    docs = index.docs
    chunks, documents = index.totals[type_]
    if posting is None or not len(docs.first_n):
        none, nothing = np.zeros(0, np.int64), np.zeros(0, np.float32)
        empty = np.zeros(0, np.bool_)
        return TermOccurrences(
            none, none, nothing, nothing, nothing, empty, _compute_idf(chunks, 0), _compute_idf(documents, 0)
        )
    n = posting.n.astype(np.int64)
    # a writer that began after this read may have added higher numbers
    doc = index.doc_at[np.minimum(n, len(index.doc_at) - 1)]
    live = (doc >= 0) & (docs.type[doc] == type_)
    live_docs = doc[live]
    chunk_idf, doc_idf = _compute_idf(chunks, int(live.sum())), _compute_idf(documents, _count_distinct(live_docs))
    if visible.documents is not None:
        live &= visible.documents[doc]
    if visible.chunks is not None:
        live &= np.isin(n, visible.chunks)
    paths = posting.path[live]
    return TermOccurrences(
        chunk=n[live],
        doc=doc[live],
        body=posting.body[live].astype(np.float32),
        name=posting.name[live].astype(np.float32),
        path=(paths & (OWN_NAME_BIT - 1)).astype(np.float32),
        stem=paths >= OWN_NAME_BIT,
        chunk_idf=chunk_idf,
        doc_idf=doc_idf,
    )


def _count_distinct(rising: Numbers) -> int:
    return int(np.count_nonzero(np.diff(rising))) + 1 if len(rising) else 0


def _compute_idf(total: int, count: int) -> float:
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))
