"""Vector index in memory that follows the database."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from .embedder import DIMENSIONS
from .vectors import Vectors

if TYPE_CHECKING:
    from aurora.memory.storage import Tables


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
        if len(alive) != sum(len(vectors.numbers) for vectors in self._vectors_by_type.values()):
            self._vectors_by_type = {
                type_: vectors.keep_live(alive) for type_, vectors in self._vectors_by_type.items()
            }

    def _load_new(self, db: Tables) -> None:
        new: dict[str, tuple[list[int], list[bytes]]] = {}
        for n, type_, body in db.vectors.list_newer(self._last, prose=not self._includes_code):
            if len(body) == DIMENSIONS:
                numbers, bodies = new.setdefault(type_, ([], []))
                numbers.append(n)
                bodies.append(body)
                self._last = n
        for type_, (numbers, bodies) in new.items():
            added = Vectors.from_packed(numbers, bodies, rough=type_ != "code")
            old = self._vectors_by_type.get(type_)
            self._vectors_by_type[type_] = old.append(added) if old else added
