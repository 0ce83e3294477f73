"""Ranking signals of files, each a value in 0..1; a new one is a function and a line of `SIGNALS`."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.text_index.tokens import extract_terms

from .rank_scores import mark_first_of_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.model.chunks import ChunkType
    from aurora.memory.text_index import TextIndex

    from .query import Query, QueryKind
    from .rank_scores import BestChunks, Bm25Scores, Similarities

    Floats = NDArray[np.float32]
    Parts = tuple[str, ...]


def compute_chunk_sums(inputs: TermInputs) -> Floats:
    """Return the sum of each file's best chunks, relative to the best."""
    sums = np.zeros(len(inputs.scores.doc_score), np.float32)
    sums[inputs.best.docs] = inputs.best.sums
    return scale_to_max(sums)


def scale_to_max(values: Floats) -> Floats:
    """Divide the values by their maximum."""
    greatest = values.max(initial=0.0)
    return values / greatest if greatest > 0 else values


class TermInputs(NamedTuple):
    """Inputs of a term signal: BM25F scores of one type, best chunks per document, the query."""

    text_index: TextIndex
    scores: Bm25Scores
    best: BestChunks
    query: Query


class TermSignal(NamedTuple):
    """Signal of all documents, from term scores; these signals nominate the candidates.

    Attributes:
        name: its key in `Hit.parts`.
        weight: its weight in the score of a file.
        compute: returns one value in 0..1 per document of the text index.
        report_weight: its weight when the query is a report.
    """

    name: str
    weight: float
    compute: Callable[[TermInputs], Floats]
    report_weight: float = 0.0


BEST_CHUNKS = TermSignal(name="chunks", weight=0.4, compute=compute_chunk_sums)


def compute_coverage(inputs: TermInputs) -> Floats:
    """Return the best coverage among each file's chunks."""
    coverage = np.zeros(len(inputs.scores.doc_score), np.float32)
    np.maximum.at(coverage, inputs.scores.chunk_doc, inputs.scores.chunk_cover)
    return coverage


COVERAGE = TermSignal(name="coverage", weight=0.2, compute=compute_coverage)


def compute_name_coverage(inputs: CandidateInputs) -> float:
    """Return the share of the parts of the file's own name that the query contains."""
    whole, parts = split_file_name(inputs.path)
    if not parts:
        return 0.0
    weights = inputs.query.weights
    if whole in inputs.query.words:
        return weights.get(whole, 1.0)
    return sum(weights.get(part, 1.0) for part in parts.intersection(inputs.query.words)) / len(parts)


@lru_cache(maxsize=1 << 14)
def split_file_name(path: str) -> tuple[str, frozenset[str]]:
    """Split a file's own name into terms: `web_app.py` gives the whole and `web`, `app`."""
    terms = extract_terms(path.rpartition("/")[2].partition(".")[0])
    # the first of several is the whole name, which adds nothing to its parts
    return terms[0] if terms else "", frozenset(terms[1:] if len(terms) > 1 else terms)


class CandidateInputs(NamedTuple):
    """Inputs of a candidate signal: path, query, match of a defined symbol (0..1)."""

    path: str
    query: Query
    symbol_match: float


class CandidateSignal(NamedTuple):
    """Signal of a single candidate.

    Attributes:
        name: its key in `Hit.parts`.
        weight: its weight in the score of a file.
        compute: returns the value of one candidate in 0..1.
        needs_name: True when only a document that matches a name of the query can have it.
        report_weight: its weight when the query is a report.
    """

    name: str
    weight: float
    compute: Callable[[CandidateInputs], float]
    needs_name: bool = False
    report_weight: float = 0.0


FILE_NAME = CandidateSignal(name="stem", weight=0.3, compute=compute_name_coverage)


def compute_file_score(inputs: TermInputs) -> Floats:
    """Return the BM25F score of each file, relative to the best."""
    return scale_to_max(inputs.scores.doc_score)


FILE_SCORE = TermSignal(name="file", weight=0.5, report_weight=0.5, compute=compute_file_score)


_PACKAGE_FILES = frozenset({"__init__", "index", "mod"})
"""File names that stand for their folder."""


class _PathTable(NamedTuple):
    """Files by the last part of their path, and by the last part of their module name."""

    files: Mapping[str, Sequence[tuple[Parts, int]]]
    modules: Mapping[str, Sequence[tuple[Parts, int]]]


def compute_mentions(inputs: TermInputs) -> Floats:
    """Return 1 for a file that the report mentions; less when the mention fits several files."""
    values = np.zeros(len(inputs.scores.doc_score), np.float32)
    mentions = inputs.query.mentions
    if not mentions.paths and not mentions.modules:
        return values
    table = inputs.text_index.get_or_compute("path table", lambda: _build_table(inputs.text_index))
    for path in mentions.paths:
        _mark_files(values, _find_path(table, tuple(path.split("/"))))
    for module in mentions.modules:
        _mark_files(values, _find_module(table, tuple(module.split("."))))
    return values


def _build_table(index: TextIndex) -> _PathTable:
    files: dict[str, list[tuple[Parts, int]]] = defaultdict(list)
    modules: dict[str, list[tuple[Parts, int]]] = defaultdict(list)
    for doc, path in enumerate(index.docs.paths):
        if path is None:
            continue
        parts = tuple(path.split("/"))
        files[parts[-1]].append((parts, doc))
        stem = parts[-1].partition(".")[0]
        module = parts[:-1] if stem in _PACKAGE_FILES else (*parts[:-1], stem)
        if module:
            modules[module[-1]].append((module, doc))
    return _PathTable(files, modules)


def _mark_files(values: Floats, docs: Sequence[int]) -> None:
    for doc in docs:
        values[doc] = max(values[doc], 1 / len(docs))


def _find_path(table: _PathTable, wanted: Parts) -> Sequence[int]:
    """Find the files with the longest common end; a file name alone must be unique."""
    shared = [(_count_shared_end(parts, wanted), doc) for parts, doc in table.files.get(wanted[-1], ())]
    longest = max((count for count, _ in shared), default=0)
    docs = [doc for count, doc in shared if count == longest]
    return docs if longest > 1 or len(docs) == 1 else ()


def _find_module(table: _PathTable, names: Parts) -> Sequence[int]:
    """Find the module that a dotted name is, or is a member of."""
    for end in range(len(names), 1, -1):
        module = names[:end]
        if docs := [doc for parts, doc in table.modules.get(module[-1], ()) if parts[-end:] == module]:
            return docs
    return ()


def _count_shared_end(left: Parts, right: Parts) -> int:
    count = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        count += 1
    return count


MENTION = TermSignal(name="mention", weight=0.0, report_weight=0.2, compute=compute_mentions)


def compute_namesake(inputs: CandidateInputs) -> float:
    """Return 1 when the last part of a name in the query is the file's own name."""
    own_name = inputs.path.rpartition("/")[2].partition(".")[0].lower()
    return float(bool(own_name) and any(name.rpartition(".")[2] == own_name for name in inputs.query.names))


NAMESAKE = CandidateSignal(name="namesake", weight=0.3, needs_name=True, compute=compute_namesake)


def compute_path_score(inputs: TermInputs) -> Floats:
    """Return the BM25F score of each path, relative to the best."""
    return scale_to_max(inputs.scores.doc_path)


PATH_SCORE = TermSignal(name="path", weight=0.2, compute=compute_path_score)


_TOP_CHUNKS = 3
"""Nearest chunks of a file that count."""


def compute_similarity(inputs: SimilarityInputs) -> list[float]:
    """Return the sum of squared cosines of each candidate's nearest chunks, scaled to 1."""
    near = inputs.near
    docs = inputs.text_index.doc_at[near.numbers].astype(np.int64)
    order = np.lexsort((-near.cosines, docs))
    order = order[mark_first_of_groups(docs[order], _TOP_CHUNKS)]
    squares = near.cosines[order].clip(0) ** 2
    sums = np.bincount(docs[order], squares, minlength=len(inputs.text_index.docs.first_n))
    greatest = sums.max(initial=0.0) or 1.0
    return [float(sums[doc] / greatest) for doc in inputs.documents]


class SimilarityInputs(NamedTuple):
    """Inputs of a similarity signal: positions of the candidates, and cosines of their chunks."""

    text_index: TextIndex
    documents: Sequence[int]
    near: Similarities


class SimilaritySignal(NamedTuple):
    """Signal of all candidates, from the cosines of their chunks.

    Attributes:
        name: its key in `Hit.parts`.
        weight: its weight in the score of a file of code.
        compute: returns one value in 0..1 per candidate, in their order.
        prose_weight: its weight in the score of a document or record.
        report_weight: its weight when the query is a report.
    """

    name: str
    weight: float
    compute: Callable[[SimilarityInputs], Sequence[float]]
    prose_weight: float
    report_weight: float = 0.0


SIMILARITY = SimilaritySignal(name="meaning", weight=0.3, prose_weight=1.0, compute=compute_similarity)
"""Prose expresses the same in many words, so similarity has half of the weight there."""


def compute_size(inputs: TermInputs) -> Floats:
    """Return the logarithm of the length of each matching file, relative to the longest."""
    sizes = inputs.text_index.get_or_compute("sizes", lambda: _compute_all_sizes(inputs.text_index))
    return scale_to_max(sizes * (inputs.scores.doc_score > 0))


def _compute_all_sizes(index: TextIndex) -> Floats:
    return np.log1p(index.docs.body_length).astype(np.float32)


SIZE = TermSignal(name="size", weight=0.1, compute=compute_size)


def compute_symbol_match(inputs: CandidateInputs) -> float:
    """Return the match of the defined symbol with a name of the query."""
    return inputs.symbol_match


SYMBOL = CandidateSignal(name="symbol", weight=1.0, needs_name=True, report_weight=1.0, compute=compute_symbol_match)


def compute_top_chunk(inputs: TermInputs) -> Floats:
    """Return the score of each file's best chunk, relative to the best."""
    return sum_first_chunks(inputs, 1)


def sum_first_chunks(inputs: TermInputs, count: int) -> Floats:
    """Return the sum of the scores of each file's best chunks, relative to the best."""
    places, scores = inputs.best.places, inputs.scores
    some = places[mark_first_of_groups(scores.chunk_doc[places], count)]
    sums = np.bincount(scores.chunk_doc[some], scores.chunk_score[some], minlength=len(scores.doc_score))
    return scale_to_max(sums.astype(np.float32))


TOP_CHUNK = TermSignal(name="top chunk", weight=0.2, report_weight=0.5, compute=compute_top_chunk)


_COUNT = 3


def compute_top_chunks(inputs: TermInputs) -> Floats:
    """Return the sum of each file's three best chunks, relative to the best."""
    return sum_first_chunks(inputs, _COUNT)


TOP_CHUNKS = TermSignal(name="top chunks", weight=0.0, report_weight=1.0, compute=compute_top_chunks)


# Each weight is here because NDCG@10 falls without it on most of the code bases of `make bench-quality`, and each is a
# round number, since the second digit makes no difference.
# Each weight is here because NDCG@10 falls without it on most of the code bases of `make bench-quality`, and each is a
# round number, since the second digit makes no difference.
SIGNALS = (
    FILE_SCORE,
    BEST_CHUNKS,
    TOP_CHUNKS,
    TOP_CHUNK,
    COVERAGE,
    PATH_SCORE,
    FILE_NAME,
    SIZE,
    SIMILARITY,
    NAMESAKE,
    MENTION,
    SYMBOL,
)


TERM_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, TermSignal))


CANDIDATE_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, CandidateSignal))


SIMILARITY_SIGNALS = tuple(signal for signal in SIGNALS if isinstance(signal, SimilaritySignal))


@lru_cache
def get_weights(type_: ChunkType, kind: QueryKind) -> Mapping[str, float]:
    """Return the weights of the signals that count for this chunk type and kind of query, by name."""
    weights = {signal.name: get_weight(signal, type_, kind) for signal in SIGNALS}
    return {name: weight for name, weight in weights.items() if weight}


def get_weight(signal: TermSignal | CandidateSignal | SimilaritySignal, type_: ChunkType, kind: QueryKind) -> float:
    """Return the weight of a signal for this chunk type and kind of query."""
    if kind == "report":
        return signal.report_weight
    if isinstance(signal, SimilaritySignal) and type_ != "code":
        return signal.prose_weight
    return signal.weight
