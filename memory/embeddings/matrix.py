"""All vectors in memory, following the database: one product tells how near a query is to everything."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .embedder import DIMENSIONS
from .vectors import Shelf

if TYPE_CHECKING:
    from aurora.memory.sqlite.tables.all import Tables


class Matrix:
    """The vectors of one store by type; safe from several threads.

    A chunk's number is never used twice, so what is new has a number above the last one seen, and what is gone is
    found by comparing the numbers. Both are looked for only when the store's generation has moved on.

    Prose is always held, for there meaning brings forward what no word does; code only from `whole` on: a command that
    searches once asks the database for the few vectors it needs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._last = 0
        self._whole = False
        self._shelves: dict[str, Shelf] = {}

    def follow(self, db: Tables, generation: int, *, whole: bool = False) -> None:
        """Bring the vectors in line with what `db`'s read transaction sees; from a `whole` on, those of code too."""
        with self._lock:
            if whole and not self._whole:
                self._whole, self._generation, self._last, self._shelves = True, -1, 0, {}
            if generation <= self._generation:  # a reader that began earlier must not turn the clock back
                return
            self._drop_gone(db)
            self._take_new(db)
            self._generation = generation

    def shelf(self, type_: str) -> Shelf | None:
        """The vectors of one type, as they are now; None when there are none."""
        with self._lock:
            return self._shelves.get(type_)

    def _drop_gone(self, db: Tables) -> None:
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

        if not self._shelves:
            return
        alive = np.array(db.vectors.alive(self._last, prose=not self._whole), np.int64)
        if len(alive) != sum(len(shelf.numbers) for shelf in self._shelves.values()):
            self._shelves = {type_: shelf.only(alive) for type_, shelf in self._shelves.items()}

    def _take_new(self, db: Tables) -> None:
        new: dict[str, tuple[list[int], list[bytes]]] = {}
        for n, type_, body in db.vectors.newer(self._last, prose=not self._whole):
            if len(body) == DIMENSIONS:
                numbers, bodies = new.setdefault(type_, ([], []))
                numbers.append(n)
                bodies.append(body)
                self._last = n
        for type_, (numbers, bodies) in new.items():
            shelf = Shelf.of(numbers, bodies, rough=type_ != "code")
            old = self._shelves.get(type_)
            self._shelves[type_] = old.joined(shelf) if old else shelf
