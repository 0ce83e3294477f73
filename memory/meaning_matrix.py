"""All vectors in memory, following the database: one product tells how near a query is to everything."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .meaning import DIMENSIONS
from .store_rows import ask

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

UNRELATED = 0.2
"""A cosine below which two texts have nothing to do with each other; a question and its answer have around 0.5."""


class Matrix:
    """The vectors of one store by type; safe from several threads.

    A chunk's number is never used twice, so what is new has a number above the last one seen, and what is gone is
    found by comparing the numbers. Both are looked for only when the store's generation has moved on.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = ""
        self._last = 0
        self._shelves: dict[str, _Shelf] = {}

    def follow(self, db: apsw.Connection, generation: str) -> None:
        """Bring the vectors in line with what `db`'s read transaction sees."""
        with self._lock:
            if generation == self._generation:
                return
            self._drop_gone(db)
            self._take_new(db)
            self._generation = generation

    def shelf(self, type_: str) -> _Shelf | None:
        """The vectors of one type, as they are now; None when there are none."""
        with self._lock:
            return self._shelves.get(type_)

    def _drop_gone(self, db: apsw.Connection) -> None:
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

        if not self._shelves:
            return
        alive = np.fromiter((n for (n,) in ask(db, "SELECT n FROM vectors WHERE n <= ?", (self._last,))), np.int64)
        if len(alive) != sum(len(shelf.numbers) for shelf in self._shelves.values()):
            self._shelves = {type_: shelf.only(alive) for type_, shelf in self._shelves.items()}

    def _take_new(self, db: apsw.Connection) -> None:
        new: dict[str, tuple[list[int], list[bytes]]] = {}
        for n, type_, body in ask(db, "SELECT n, type, body FROM vectors WHERE n > ? ORDER BY n", (self._last,)):
            if len(body) == DIMENSIONS:
                numbers, bodies = new.setdefault(type_, ([], []))
                numbers.append(n)
                bodies.append(body)
                self._last = n
        for type_, (numbers, bodies) in new.items():
            shelf = _Shelf.of(numbers, bodies)
            old = self._shelves.get(type_)
            self._shelves[type_] = old.joined(shelf) if old else shelf


class _Shelf:
    """Chunk numbers in rising order, and their vectors of length 1 as rows."""

    def __init__(self, numbers: NDArray[np.int64], rows: NDArray[np.float32]) -> None:
        self.numbers = numbers
        self.rows = rows

    @classmethod
    def of(cls, numbers: list[int], bodies: list[bytes]) -> _Shelf:
        """Unpack vectors as `meaning.packed` wrote them."""
        import numpy as np  # noqa: PLC0415 - as above

        rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return cls(np.array(numbers, np.int64), rows)

    def only(self, alive: NDArray[np.int64]) -> _Shelf:
        """Without the chunks that are gone."""
        import numpy as np  # noqa: PLC0415 - as above

        kept = np.isin(self.numbers, alive)
        return _Shelf(self.numbers[kept], self.rows[kept])

    def joined(self, later: _Shelf) -> _Shelf:
        """With chunks whose numbers are all higher."""
        import numpy as np  # noqa: PLC0415 - as above

        return _Shelf(np.concatenate([self.numbers, later.numbers]), np.concatenate([self.rows, later.rows]))

    def cosines(self, query: Any) -> NDArray[np.float32]:
        """How near the query is to each row, -1..1."""
        result: NDArray[np.float32] = self.rows @ query
        return result

    def best(self, cosines: NDArray[np.float32], count: int, among: NDArray[np.int64] | None) -> dict[int, float]:
        """The `count` nearest, nearest first, none that is unrelated; only `among` these numbers when given."""
        import numpy as np  # noqa: PLC0415 - as above

        if among is not None:
            cosines = np.where(np.isin(self.numbers, among), cosines, -1)
        count = min(count, len(cosines))
        if not count:
            return {}
        top = np.argpartition(cosines, -count)[-count:]
        top = top[np.argsort(-cosines[top], kind="stable")]
        return {int(self.numbers[i]): float(cosines[i]) for i in top if cosines[i] > UNRELATED}

    def of_numbers(self, cosines: NDArray[np.float32], wanted: list[int]) -> dict[int, float]:
        """The nearness of these chunks, those that have a vector."""
        import numpy as np  # noqa: PLC0415 - as above

        if not wanted or not len(self.numbers):
            return {}
        places = np.minimum(np.searchsorted(self.numbers, wanted), len(self.numbers) - 1)
        return {n: float(cosines[i]) for n, i in zip(wanted, places, strict=True) if self.numbers[i] == n}
