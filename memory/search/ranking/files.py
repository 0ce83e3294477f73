"""File ranking: a weighted sum of signals per file, times penalties for its role.

Files are ranked first, and chunks are selected within them. Each weight is here because NDCG@10 falls without it on
most of the code bases of `make bench-quality`, and each is a round number, since the second digit makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.files import ROLE_PENALTIES
from aurora.memory.text_index.tokenizer import extract_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.files import FileRoles
    from aurora.memory.search.query import Query
    from aurora.memory.text_index import TextIndex

    from .bm25 import Bm25Scores

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

WEIGHTS: Mapping[str, float] = {
    "file": 0.5,  # BM25F of the whole file
    "chunks": 0.4,  # sum of its ten best chunks
    "coverage": 0.2,  # share of the query that one of its chunks covers
    "path": 0.2,  # BM25F of its path alone
    "stem": 0.3,  # share of its own name that the query contains
    "size": 0.1,  # logarithm of its length: the main subject of a project fills its long files
    "meaning": 0.3,  # similarity of its three nearest chunks
    "symbol": 1.0,  # it defines a name of the query
    "namesake": 0.3,  # its file name equals a name of the query
}
PROSE_WEIGHTS = {**WEIGHTS, "meaning": 1.0}
"""Prose expresses the same in many words, so similarity has half of the weight there."""


class ScoreBounds(NamedTuple):
    """Maximum document scores without and with a symbol match."""

    plain: float
    named: float


def get_weights(type_: str) -> Mapping[str, float]:
    """Return the weight of each signal for this chunk type."""
    return WEIGHTS if type_ == "code" else PROSE_WEIGHTS


def compute_max_scores(type_: str) -> ScoreBounds:
    """Compute the maximum scores of a document of this type."""
    weights = get_weights(type_)
    whole = sum(weights.values())
    return ScoreBounds(plain=whole - weights["symbol"] - weights["namesake"], named=whole)


MAX_CANDIDATES = 60
"""Candidate files of each type for reranking."""
_TOP_CHUNKS = 10
"""Chunks of a file in its sum."""
_MAX_CHUNKS = 2000
"""Best chunks of a type that count in the sums of files."""


@dataclass(slots=True)
class RankedDocument:
    """Candidate document: its position, its score before the role penalty, its signals."""

    doc: int
    score: float
    penalty: float
    parts: dict[str, float]
    chunks: Numbers
    """Positions in `Bm25Scores.chunks` of its best chunks, best first."""


def rank_by_terms(
    lexicon: TextIndex, query: Query, words: Bm25Scores, named: Mapping[int, float], roles: FileRoles
) -> list[RankedDocument]:
    """Rank the documents of one type that match terms or names; at most `MAX_CANDIDATES`.

    Args:
        lexicon: the current text index.
        query: the parsed query.
        words: the BM25F scores of this type.
        roles: roles of the project's files.
        named: documents that define a name of the query, and the match, 0..1.
    """
    best = _find_best_chunks(words)
    sums = np.zeros(len(words.doc_score), np.float32)
    sums[best.docs] = best.sums
    cover = np.zeros_like(sums)
    np.maximum.at(cover, words.chunk_doc, words.chunk_cover)
    parts = {
        "file": _scale_to_max(words.doc_score),
        "chunks": _scale_to_max(sums),
        "coverage": cover,
        "path": _scale_to_max(words.doc_path),
        "size": _scale_to_max(lexicon.get_or_compute("sizes", lambda: _compute_sizes(lexicon)) * (words.doc_score > 0)),
    }
    rough = sum((WEIGHTS[name] * part for name, part in parts.items()), np.zeros_like(sums))
    for doc, value in named.items():
        rough[doc] += WEIGHTS["symbol"] * value
    likely = np.argsort(-rough, kind="stable")[: MAX_CANDIDATES + MAX_CANDIDATES // 4]
    likely = likely[rough[likely] > 0]
    rows = zip(*(part[likely].tolist() for part in parts.values()), strict=True)
    ranked = [
        _score_document(lexicon, query, doc, dict(zip(parts, row, strict=True)), roles)
        for doc, row in zip(likely.tolist(), rows, strict=True)
    ]
    for one in ranked:
        one.chunks = best.get_document(one.doc)
        if one.doc in named:
            one.parts["symbol"] = named[one.doc]
            one.score += WEIGHTS["symbol"] * named[one.doc]
    return sorted(ranked, key=lambda one: (-one.score * one.penalty, one.doc))[:MAX_CANDIDATES]


def _compute_sizes(lexicon: TextIndex) -> Floats:
    return np.log1p(lexicon.docs.body_length).astype(np.float32)


def score_vector_candidate(lexicon: TextIndex, query: Query, doc: int, roles: FileRoles) -> RankedDocument:
    """Score a document that only its vectors brought forward."""
    return _score_document(lexicon, query, doc, {}, roles)


def _score_document(
    lexicon: TextIndex, query: Query, doc: int, parts: dict[str, float], roles: FileRoles
) -> RankedDocument:
    path = lexicon.docs.paths[doc] or ""
    whole, first, words = split_file_name(path)
    parts["stem"] = _score_stem_coverage(first, words, query.words)
    if whole and any(name.rpartition(".")[2] == whole for name in query.names):
        parts["namesake"] = 1.0
    cost = 1.0
    for role in roles.get_roles(path):
        if not (role == "test" and query.about_tests):
            parts[role] = ROLE_PENALTIES[role]
            cost *= ROLE_PENALTIES[role]
    score = sum([WEIGHTS[name] * value for name, value in parts.items() if name in WEIGHTS])
    return RankedDocument(doc, score, cost, parts, np.zeros(0, np.int64))


@lru_cache(maxsize=1 << 14)
def split_file_name(path: str) -> tuple[str, str, frozenset[str]]:
    """Split a file name: lower case, as a term, and its parts (`web`, `app`)."""
    name = path.rpartition("/")[2].partition(".")[0]
    words = extract_terms(name)
    # the first of several is the whole name, which adds nothing to its parts
    return name.lower(), words[0] if words else "", frozenset(words[1:] if len(words) > 1 else words)


def _score_stem_coverage(whole: str, parts: frozenset[str], terms: Sequence[str]) -> float:
    """Return the share of a file's own name that the query contains."""
    if not parts:
        return 0.0
    return 1.0 if whole in terms else len(parts.intersection(terms)) / len(parts)


class _BestChunks(NamedTuple):
    """Best chunks per document, at most `_TOP_CHUNKS` of the `_MAX_CHUNKS` best of all.

    Attributes:
        docs: rising.
        starts, ends: range of each document's chunks in `places`, best first.
        sums: sums of their scores.
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


def _find_best_chunks(words: Bm25Scores) -> _BestChunks:
    some = min(_MAX_CHUNKS, len(words.chunks))
    if not some:
        none = np.zeros(0, np.int64)
        return _BestChunks(none, none, none, none, np.zeros(0, np.float32))
    top = np.argpartition(-words.chunk_score, some - 1)[:some]
    order = top[np.lexsort((top, -words.chunk_score[top], words.chunk_doc[top]))]
    order = order[mark_first_of_groups(words.chunk_doc[order], _TOP_CHUNKS)]
    docs = words.chunk_doc[order]
    starts = np.flatnonzero(np.diff(docs, prepend=-1))
    sums = np.add.reduceat(words.chunk_score[order], starts)
    return _BestChunks(docs[starts], starts, np.append(starts[1:], len(order)), order, sums)


def mark_first_of_groups(groups: Numbers, count: int) -> NDArray[np.bool_]:
    """Mark the first `count` elements of each group; equal groups are adjacent."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    first: NDArray[np.bool_] = np.arange(len(groups)) - np.repeat(starts, sizes) < count
    return first


def _scale_to_max(values: Floats) -> Floats:
    """Divide the values by their maximum."""
    greatest = values.max(initial=0.0)
    return values / greatest if greatest > 0 else values


def explain_score(type_: str, parts: Mapping[str, float]) -> dict[str, float]:
    """Return the penalties, then the weighted signals of a score, largest first."""
    weights = get_weights(type_)
    said = {name: round(weights[name] * value, 3) for name, value in parts.items() if name in weights and value > 0}
    left = {name: value for name, value in parts.items() if name in ROLE_PENALTIES}
    return {**left, **dict(sorted(said.items(), key=lambda item: (-item[1], item[0])))}
