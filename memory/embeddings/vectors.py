"""Vector index that follows the database: coarse search over all, exact cosines for the best."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from .embedder import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aurora.memory.storage.store import Tables

    Floats = NDArray[np.float32]


class VectorIndex:
    """Vectors of one store by chunk type; thread-safe.

    A chunk number is never reused, so new chunks have numbers above the last one seen, and deleted ones are found by
    comparing the numbers. Both are read only when the store has a later generation.

    Prose is always loaded, since its vectors add candidates that share no term with the query; code only from the first
    `whole` on: a command that searches once reads the few vectors it needs from the database.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._last = 0
        self._includes_code = False
        self._vectors_by_type: dict[str, Vectors] = {}

    def refresh(self, db: Tables, generation: int, *, whole: bool = False) -> None:
        """Load the state of `db`'s read transaction; from the first `whole` on, code too."""
        with self._lock:
            if whole and not self._includes_code:
                self._includes_code, self._generation, self._last, self._vectors_by_type = True, -1, 0, {}
            if generation <= self._generation:  # a reader that began earlier must not bring back an older state
                return
            self._remove_deleted(db)
            self._load_new(db)
            self._generation = generation

    def get_vectors(self, type_: str) -> Vectors | None:
        """Return the current vectors of one type; None when there are none."""
        with self._lock:
            return self._vectors_by_type.get(type_)

    def _remove_deleted(self, db: Tables) -> None:
        if not self._vectors_by_type:
            return
        alive = np.array(db.vectors.list_numbers(self._last, prose=not self._includes_code), np.int64)
        # Numbers are never used twice, so that as many as before are the same ones.
        if len(alive) != sum(len(vectors.numbers) for vectors in self._vectors_by_type.values()):
            self._vectors_by_type = {
                type_: vectors.keep_live(alive) for type_, vectors in self._vectors_by_type.items()
            }

    def _load_new(self, db: Tables) -> None:
        new: dict[str, tuple[list[int], list[bytes]]] = {}
        for n, type_, body in db.vectors.list_newer(self._last, prose=not self._includes_code):
            # An empty one says that the text has no token, so that it is not embedded again in each run.
            if len(body) == DIMENSIONS:
                numbers, bodies = new.setdefault(type_, ([], []))
                numbers.append(n)
                bodies.append(body)
                self._last = n
        for type_, (numbers, bodies) in new.items():
            added = Vectors.from_packed(numbers, bodies, rough=type_ != "code")
            old = self._vectors_by_type.get(type_)
            self._vectors_by_type[type_] = old.append(added) if old else added


COARSE_DIMENSIONS = 64
"""Leading dimensions of the coarse search. wordllama is trained so that they are meaningful by themselves (Matryoshka
representation learning, Kusupati et al. 2022), and a quarter of the numbers takes a seventh of the time."""


_COARSE_FACTOR = 20
"""Candidates of the coarse search per wanted result."""

UNRELATED_COSINE = 0.2
"""A cosine below which two texts are unrelated; a question and its answer have around 0.5."""


class Vectors:
    """Vectors by rising chunk number: 256 signed bytes, and 64 floats for the coarse search."""

    def __init__(self, numbers: NDArray[np.int64], rows: NDArray[np.int8], rough: Floats) -> None:
        self.numbers = numbers
        self._rows = rows
        self._coarse = rough

    @classmethod
    def from_packed(cls, numbers: Sequence[int], bodies: Sequence[bytes], *, rough: bool = True) -> Vectors:
        """Create from quantized vectors; without `rough`, `find_nearest` finds nothing."""
        rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS)
        return cls(
            np.array(numbers, np.int64), rows, normalize_rows(rows[: len(rows) if rough else 0, :COARSE_DIMENSIONS])
        )

    def keep_live(self, alive: NDArray[np.int64]) -> Vectors:
        """Return the vectors without deleted chunks."""
        live = np.isin(self.numbers, alive)
        rough = self._coarse[live] if len(self._coarse) else self._coarse
        return Vectors(self.numbers[live], self._rows[live], rough)

    def append(self, later: Vectors) -> Vectors:
        """Return the vectors with those of chunks with higher numbers."""
        return Vectors(
            np.concatenate([self.numbers, later.numbers]),
            np.concatenate([self._rows, later._rows]),
            np.concatenate([self._coarse, later._coarse]),
        )

    def find_nearest(
        self, query: Floats, count: int, among: NDArray[np.int64] | None = None, least: float = UNRELATED_COSINE
    ) -> dict[int, float]:
        """Find the chunks nearest to a query, nearest first.

        Args:
            query: its vector, of length 1.
            count: maximum number of chunks.
            among: only these numbers; all when None.
            least: only chunks with a greater cosine.

        Returns:
            Cosines by chunk number.
        """
        if not len(self._coarse):
            return {}
        rough = _multiply_rows(self._coarse, query[:COARSE_DIMENSIONS])
        if among is not None:
            rough = np.where(np.isin(self.numbers, among), rough, -np.inf)
        some = min(count * _COARSE_FACTOR, len(rough))
        if not some:
            return {}
        places = np.argpartition(rough, -some)[-some:]
        places = places[np.isfinite(rough[places])]
        close = compute_cosines(self._rows[places], query)
        order = np.argsort(-close, kind="stable")[:count]
        return {int(self.numbers[places[i]]): float(close[i]) for i in order if close[i] > least}

    def compute_similarities(self, query: Floats, wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """Compute the cosines of these chunks; return the numbers with a vector, and cosines."""
        places = np.minimum(np.searchsorted(self.numbers, wanted), max(len(self.numbers) - 1, 0))
        present = self.numbers[places] == wanted if len(self.numbers) else np.zeros(len(wanted), np.bool_)
        return wanted[present], compute_cosines(self._rows[places[present]], query)


def normalize_rows(rows: NDArray[np.int8]) -> Floats:
    """Convert quantized vectors to floats of length 1."""
    floats = rows.astype(np.float32)
    lengths = np.linalg.norm(floats, axis=1, keepdims=True)
    np.divide(floats, lengths, out=floats, where=lengths > 0)
    return floats


def compute_cosines(rows: NDArray[np.int8], query: Floats) -> Floats:
    """Compute cosines of quantized vectors with a unit vector; 0 for a zero vector."""
    floats = rows.astype(np.float32)
    squares = np.einsum("ij,ij->i", floats, floats)
    out: Floats = _multiply_rows(floats, query) / np.sqrt(
        np.maximum(squares, 1)
    )  # sums of squared integers: 0, or at least 1
    return out


def _multiply_rows(rows: Floats, query: Floats) -> Floats:
    """Multiply each row by the query.

    Not `@`: that distributes even half a millisecond of work over a thread per core, and the threads then spin. On a
    busy machine its median is ten times as long.
    """
    out: Floats = np.einsum("ij,j->i", rows, query)
    return out
