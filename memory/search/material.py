"""Material of a ranking: the candidate files, the weights of their signals, the selected chunks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aurora.memory.files import ROLE_PENALTIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from aurora.memory.embeddings import VectorIndex
    from aurora.memory.files import FileRoles
    from aurora.memory.storage.store import Tables
    from aurora.memory.text_index import PostingList, TextIndex

    from .query import Query
    from .rank_terms import VisibleScope
    from .scores import Similarities

    Floats = NDArray[np.float32]


class Match(NamedTuple):
    """Match of a chunk with what the query asks for by name, 0..1, and why: `symbol`, `literal` or `page`."""

    value: float
    why: str


class Material(NamedTuple):
    """Material from which all types of one search are ranked.

    Attributes:
        db: the open transaction.
        text_index, vectors: the indexes in memory, refreshed from it.
        roles: roles of the project's files.
        query: the parsed query.
        postings: posting lists of its terms and names.
        matches: chunks that define one of its names, hold one of its literals, or are a page that it asks for.
        visible: the documents and chunks that may be in the result.
        embedding: the query's unit vector; None without embeddings.
        record_cosines: similarities of all records by the extra `semantic`; None without it.
    """

    db: Tables
    text_index: TextIndex
    vectors: VectorIndex
    roles: FileRoles
    query: Query
    postings: Mapping[str, PostingList]
    matches: Mapping[int, Match]
    visible: VisibleScope
    embedding: Floats | None
    record_cosines: Similarities | None = None

    def is_visible(self, doc: int) -> bool:
        """Return True for a document that may be in the result."""
        return self.visible.documents is None or bool(self.visible.documents[doc])


class Weights(NamedTuple):
    """Weights of the signals of a file, and of those of a chunk; each signal is in 0..1.

    Attributes:
        file: BM25F of the whole file.
        chunks: the sum of its best chunks.
        top: its best chunk; in a report, whose many words are spread over every file.
        path: BM25F of its path.
        stem: how much of the file's own name the query says.
        mention: a report names the file.
        meaning: the nearest chunks of the file, by their cosines.
        prior: the whole of these, relative to what the chunk itself has.
        cosine: of the chunk.
        length: a logarithm of the chunk's length: a body answers, a line of three words does not.
    """

    file: float = 0.5
    chunks: float = 0.4
    top: float = 0.0
    path: float = 0.2
    stem: float = 0.3
    mention: float = 0.0
    meaning: float = 0.3
    prior: float = 1.0
    cosine: float = 0.6
    length: float = 0.1


@dataclass(slots=True)
class RankedFile:
    """Candidate file, or record, with what it promises.

    Attributes:
        doc: its position in the text index.
        prior: the weighted sum of its signals.
        penalty: the product of the factors of its roles.
        parts: its weighted signals by name, and the factors of its roles.
        chunks: positions in `Bm25Scores.chunks` of its best chunks, best first.
    """

    doc: int
    prior: float = 0.0
    penalty: float = 1.0
    parts: dict[str, float] = field(default_factory=dict)
    chunks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, name: str, weight: float, value: float) -> None:
        """Add a signal."""
        if weight and value > 0:
            self.prior += weight * value
            self.parts[name] = weight * value

    def apply_penalty(self, role: str) -> None:
        """Multiply the penalty by the factor of a role."""
        self.parts[role] = ROLE_PENALTIES[role]
        self.penalty *= ROLE_PENALTIES[role]

    def get_sort_key(self) -> tuple[float, int]:
        """Return the key that sorts the best file first."""
        return -self.prior * self.penalty, self.doc


class SelectedChunk(NamedTuple):
    """Selected chunk of a result.

    Attributes:
        score: 0..1, comparable with other chunks of its type.
        fit: 0..1, absolute match with the query.
        coverage: 0..1, share of the query's idf whose terms it contains.
        match: 0..1, of a name, a literal or a page that the query asks for.
        parts: the weighted signals of its file and its own, and the factors of the file's roles.
    """

    n: int
    score: float
    fit: float
    coverage: float
    match: float
    parts: Mapping[str, float]
