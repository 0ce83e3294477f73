"""Scores of chunks and files: BM25F from the postings, and similarities of embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.embeddings import DIMENSIONS, compute_cosines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.storage.store import Tables
    from aurora.memory.text_index import DocumentTable, TextIndex

    from .rank_terms import TermOccurrences

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

_TOP_CHUNKS = 10
"""Chunks of a file in its sum."""

_MAX_CHUNKS = 2000
"""Best chunks of a type that count in the sums of files."""


class BestChunks(NamedTuple):
    """Best chunks per document, at most `_TOP_CHUNKS` of the `_MAX_CHUNKS` best of all.

    Attributes:
        docs: rising positions of the documents.
        starts, ends: range of each document's chunks in `places`, best first.
        places: positions in `Bm25Scores.chunks`.
        sums: sums of the scores per document.
    """

    docs: Numbers
    starts: Numbers
    ends: Numbers
    places: Numbers
    sums: Floats

    def get_document(self, doc: int) -> Numbers:
        """Return the places of one document's best chunks."""
        at = int(self.docs.searchsorted(doc))
        if at == len(self.docs) or self.docs[at] != doc:
            return self.places[:0]
        return self.places[self.starts[at] : self.ends[at]]


def find_best_chunks(scores: Bm25Scores) -> BestChunks:
    """Find the best chunks of each document."""
    count = min(_MAX_CHUNKS, len(scores.chunks))
    if not count:
        none = np.zeros(0, np.int64)
        return BestChunks(none, none, none, none, np.zeros(0, np.float32))
    top = np.argpartition(-scores.chunk_score, count - 1)[:count]
    order = top[np.lexsort((top, -scores.chunk_score[top], scores.chunk_doc[top]))]
    order = order[mark_first_of_groups(scores.chunk_doc[order], _TOP_CHUNKS)]
    docs = scores.chunk_doc[order]
    starts = np.flatnonzero(np.diff(docs, prepend=-1))
    sums = np.add.reduceat(scores.chunk_score[order], starts)
    return BestChunks(docs[starts], starts, np.append(starts[1:], len(order)), order, sums)


def mark_first_of_groups(groups: Numbers, count: int) -> NDArray[np.bool_]:
    """Mark the first `count` elements of each group; equal groups are adjacent."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    first: NDArray[np.bool_] = np.arange(len(groups)) - np.repeat(starts, sizes) < count
    return first


_SIMILARITY_MAX_CHUNKS = 60
"""Compared chunks of one file: the best by terms, and those from its beginning."""

_RAISE, _MAX_RAISED = np.float32(0.1), np.float32(0.55)


class Similarities(NamedTuple):
    """Cosines by rising chunk number."""

    numbers: Numbers
    cosines: Floats

    def select_range(self, first: int, last: int) -> tuple[Numbers, Floats]:
        """Select the chunks numbered from `first` to `last`."""
        start, end = np.searchsorted(self.numbers, (first, last + 1))
        return self.numbers[start:end], self.cosines[start:end]

    def select(self, numbers: Numbers) -> Similarities:
        """Select these chunks, as far as they have a cosine."""
        wanted = np.isin(self.numbers, numbers)
        return Similarities(self.numbers[wanted], self.cosines[wanted])


def create_empty_similarities() -> Similarities:
    """Create similarities of no chunks."""
    return Similarities(np.zeros(0, np.int64), np.zeros(0, np.float32))


def combine_similarities(similarities: Similarities, records: Similarities) -> Similarities:
    """Combine the cosines of records by both models into one for their fit.

    The transformer gives related texts high cosines, so that it alone could make a record of the same topic a literal
    answer. It raises cosines to at most `_MAX_RAISED`; an answer has `_RAISE` less by it than by the static model.
    """
    cosines = similarities.cosines.copy()
    places = np.searchsorted(similarities.numbers, records.numbers)
    cosines[places] = np.maximum(cosines[places], np.minimum(records.cosines + _RAISE, _MAX_RAISED))
    return Similarities(similarities.numbers, cosines)


def compute_similarities(db: Tables, vectors: VectorIndex, type_: str, query: Floats, numbers: Numbers) -> Similarities:
    """Compute cosines of chunks with vectors, from memory if loaded, else the database.

    Args:
        db: an open read transaction.
        vectors: the vectors in memory.
        type_: the type of all the chunks.
        query: the query's unit vector.
        numbers: rising chunk numbers.
    """
    if not len(numbers):
        return create_empty_similarities()
    if (loaded := vectors.get_vectors(type_)) is not None:
        return Similarities(*loaded.compute_similarities(query, numbers))
    stored = _read_vectors(db, numbers)
    if not stored:
        return create_empty_similarities()
    known, bodies = zip(*stored, strict=True)
    rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS)
    return Similarities(np.array(known, np.int64), compute_cosines(rows, query))


def _read_vectors(db: Tables, numbers: Numbers) -> Sequence[tuple[int, bytes]]:
    """Read the vectors of these chunks, with one range per run of numbers."""
    lasts = np.flatnonzero(np.diff(numbers, append=-1) != 1)
    firsts = np.append(0, lasts[:-1] + 1)
    runs = np.stack([numbers[firsts], numbers[lasts]], axis=1)
    return db.vectors.get_ranges(runs.tolist(), DIMENSIONS)


def select_candidate_chunks(index: TextIndex, scores: Bm25Scores, ranked: Sequence[tuple[int, Numbers]]) -> Numbers:
    """Select the chunks of these documents to compare, in rising order.

    Args:
        index: the current text index.
        scores: BM25F scores.
        ranked: the documents, each with the places of its best chunks.
    """
    ranges = []
    for doc, best in ranked:
        first, last = int(index.docs.first_n[doc]), int(index.docs.last_n[doc])
        ranges.append(np.arange(first, min(last, first + _SIMILARITY_MAX_CHUNKS) + 1))
        if last - first >= _SIMILARITY_MAX_CHUNKS:
            ranges.append(scores.chunks[best])
    numbers: Numbers = np.sort(np.concatenate(ranges)) if ranges else np.zeros(0, np.int64)
    distinct: Numbers = numbers[np.diff(numbers, prepend=-1) != 0]  # not `unique`, which imports all of numpy.ma
    return distinct


_CHUNK_K, _FILE_K = 1.2, 2.0
"""BM25's k1, the saturation of term counts: higher for files, which repeat terms more."""

_CHUNK_LENGTH_PENALTY, _FILE_LENGTH_PENALTY = 0.4, 0.4
"""BM25's b, the length normalization: low, since important files are long, and three words answer nothing."""

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
