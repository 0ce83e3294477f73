"""BM25F scores of chunks and files, computed from the postings.

BM25F is that of Robertson, Zaragoza and Taylor (2004): the counts of a term in several fields are normalized by each
field's length, weighted and summed, before one saturation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.text_index import DocumentTable, TextIndex

    from .occurrences import TermOccurrences

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_CHUNK_K, _FILE_K = 1.2, 2.0
"""BM25's k1, the saturation of term counts: higher for files, which repeat terms more."""
_CHUNK_LENGTH_PENALTY, _FILE_LENGTH_PENALTY = 0.75, 0.4
"""BM25's b, the length normalization: lower for files, where important ones are long."""
_CHUNK_NAME_BOOST, _CHUNK_PATH_BOOST = 4.0, 5.0
_FILE_NAME_BOOST, _FILE_PATH_BOOST, _FILE_STEM_BOOST = 3.0, 4.0, 5.0
"""Weights of a term in a defined name, in the path, in the file's own name; in the text it has weight 1."""
_NAME_LENGTH_PENALTY, _PATH_LENGTH_PENALTY = 0.5, 0.3
"""Length normalization of a file's names and path."""
_PATH_ONLY_K = 1.2
_STEM_ONLY_BOOST = 3.0


class Bm25Scores(NamedTuple):
    """BM25F scores of one chunk type.

    Attributes:
        chunks: rising numbers of the chunks that contain any of the terms.
        chunk_doc: document of each chunk.
        chunk_score: BM25F of each chunk.
        chunk_cover: 0..1, share of the query's idf whose terms the chunk contains in any field.
        doc_score: BM25F by document, over its text, names and path.
        doc_path: BM25F by document, over its path alone.
    """

    chunks: Numbers
    chunk_doc: Numbers
    chunk_score: Floats
    chunk_cover: Floats
    doc_score: Floats
    doc_path: Floats


def score_bm25f(index: TextIndex, type_: int, words: Sequence[TermOccurrences]) -> Bm25Scores:
    """Score every chunk and document of one type that contains any of the terms."""
    docs = index.docs
    of_type = docs.type == type_
    # One element per existing chunk: cheaper than a lookup among the matching ones.
    touched = np.zeros(len(index.doc_at), np.bool_)
    score, cover = np.zeros(len(touched), np.float32), np.zeros(len(touched), np.float32)
    doc_score, doc_path = np.zeros(len(of_type), np.float32), np.zeros(len(of_type), np.float32)
    mean = _replace_zero(index.compute_mean_length(type_))
    fields = index.get_or_compute(("length norms", type_), lambda: _compute_norms(docs, of_type))
    total_idf = sum(word.chunk_idf for word in words) or 1.0
    for word in words:
        if not len(word.chunk):
            continue
        norm = 1 - _CHUNK_LENGTH_PENALTY + _CHUNK_LENGTH_PENALTY * index.get_lengths(word.chunk) / mean
        frequency = word.body / norm + _CHUNK_NAME_BOOST * word.name
        frequency += _CHUNK_PATH_BOOST * word.path / fields.path[word.doc]
        touched[word.chunk] = True
        score[word.chunk] += word.chunk_idf * frequency * (_CHUNK_K + 1) / (_CHUNK_K + frequency)
        cover[word.chunk] += word.chunk_idf / total_idf
        _add_document_scores(word, fields, doc_score, doc_path)
    chunks = np.flatnonzero(touched)
    return Bm25Scores(chunks, index.doc_at[chunks].astype(np.int64), score[chunks], cover[chunks], doc_score, doc_path)


class _LengthNorms(NamedTuple):
    """Length norms: the divisors of each document's counts by field."""

    body: Floats
    name: Floats
    path: Floats


def _compute_norms(docs: DocumentTable, of_type: NDArray[np.bool_]) -> _LengthNorms:
    return _LengthNorms(
        body=_normalize_lengths(docs.body_length, _FILE_LENGTH_PENALTY, of_type),
        name=_normalize_lengths(docs.name_length, _NAME_LENGTH_PENALTY, of_type),
        path=_normalize_lengths(docs.path_length, _PATH_LENGTH_PENALTY, of_type),
    )


def _add_document_scores(word: TermOccurrences, fields: _LengthNorms, score: Floats, path_score: Floats) -> None:
    first = np.flatnonzero(np.diff(word.doc, prepend=-1))
    docs = word.doc[first]
    body, name = np.add.reduceat(word.body, first), np.add.reduceat(word.name, first)
    path, stem = word.path[first], word.stem[first]  # equal in every chunk of a file
    inside = body / fields.body[docs] + _FILE_NAME_BOOST * name / fields.name[docs]
    frequency = inside + _FILE_PATH_BOOST * path / fields.path[docs] + _FILE_STEM_BOOST * stem
    score[docs] += word.doc_idf * frequency * (_FILE_K + 1) / (_FILE_K + frequency)
    frequency = path / fields.path[docs] + _STEM_ONLY_BOOST * stem
    path_score[docs] += word.doc_idf * frequency * (_PATH_ONLY_K + 1) / (_PATH_ONLY_K + frequency)


def _normalize_lengths(lengths: Numbers, weight: float, among: NDArray[np.bool_]) -> Floats:
    """Compute the divisors of the counts in a field with these lengths."""
    mean = _replace_zero(float(lengths[among].mean()) if among.any() else 0.0)
    out: Floats = 1 - weight + weight * lengths / mean
    return out


def _replace_zero(value: float) -> float:
    return value or 1.0
