"""The vectors of one type in memory: a rough look at all of them, a close look at the few that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .embedder import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

COARSE_DIMENSIONS = 64
"""Leading dimensions of the rough look. wordllama is trained so that they mean something by themselves (Matryoshka
representation learning, Kusupati et al. 2022), and a quarter of the numbers takes a seventh of the time."""
_COARSE_FACTOR = 20
"""How many times the wanted number the rough look hands to the close one."""
UNRELATED_COSINE = 0.2
"""A cosine below which two texts have nothing to do with each other; a question and its answer have around 0.5."""


class Vectors:
    """Chunk numbers in rising order, and for each its vector: 256 signed bytes, and 64 floats for the rough look."""

    def __init__(self, numbers: NDArray[np.int64], rows: NDArray[np.int8], rough: Floats) -> None:
        self.numbers = numbers
        self._rows = rows
        self._coarse = rough

    @classmethod
    def from_packed(cls, numbers: Sequence[int], bodies: Sequence[bytes], *, rough: bool = True) -> Vectors:
        """Take up vectors as `meaning.packed` wrote them; without `rough`, `nearest` finds nothing."""
        import numpy as np  # noqa: PLC0415 - costs 0.1 s, and many commands never search

        rows = np.frombuffer(b"".join(bodies), np.int8).reshape(-1, DIMENSIONS)
        return cls(
            np.array(numbers, np.int64), rows, normalize_rows(rows[: len(rows) if rough else 0, :COARSE_DIMENSIONS])
        )

    def keep_live(self, alive: NDArray[np.int64]) -> Vectors:
        """Without the chunks that are gone."""
        import numpy as np  # noqa: PLC0415 - as above

        kept = np.isin(self.numbers, alive)
        rough = self._coarse[kept] if len(self._coarse) else self._coarse
        return Vectors(self.numbers[kept], self._rows[kept], rough)

    def append(self, later: Vectors) -> Vectors:
        """With chunks whose numbers are all higher."""
        import numpy as np  # noqa: PLC0415 - as above

        return Vectors(
            np.concatenate([self.numbers, later.numbers]),
            np.concatenate([self._rows, later._rows]),
            np.concatenate([self._coarse, later._coarse]),
        )

    def find_nearest(self, query: Floats, count: int, among: NDArray[np.int64] | None = None) -> dict[int, float]:
        """The chunks nearest to a query, nearest first, none that is unrelated.

        Args:
            query: its vector, of length 1.
            count: how many at most.
            among: only these numbers; all when None.

        Returns:
            Cosines by chunk number.
        """
        import numpy as np  # noqa: PLC0415 - as above

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
        return {int(self.numbers[places[i]]): float(close[i]) for i in order if close[i] > UNRELATED_COSINE}

    def compute_similarities(self, query: Floats, wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """The cosines of these chunks, those that have a vector: their numbers, and as many cosines."""
        import numpy as np  # noqa: PLC0415 - as above

        places = np.minimum(np.searchsorted(self.numbers, wanted), max(len(self.numbers) - 1, 0))
        held = self.numbers[places] == wanted if len(self.numbers) else np.zeros(len(wanted), np.bool_)
        return wanted[held], compute_cosines(self._rows[places[held]], query)


def normalize_rows(rows: NDArray[np.int8]) -> Floats:
    """Vectors as `meaning.packed` wrote them, made floats of length 1."""
    import numpy as np  # noqa: PLC0415 - as above

    floats = rows.astype(np.float32)
    lengths = np.linalg.norm(floats, axis=1, keepdims=True)
    np.divide(floats, lengths, out=floats, where=lengths > 0)
    return floats


def compute_cosines(rows: NDArray[np.int8], query: Floats) -> Floats:
    """How near vectors as `meaning.packed` wrote them are to one of length 1; 0 for one of zeros."""
    import numpy as np  # noqa: PLC0415 - as above

    floats = rows.astype(np.float32)
    squares = np.einsum("ij,ij->i", floats, floats)
    out: Floats = _multiply_rows(floats, query) / np.sqrt(np.maximum(squares, 1))  # of whole numbers: 0, or 1 and more
    return out


def _multiply_rows(rows: Floats, query: Floats) -> Floats:
    """Each row times the query.

    Not `@`: that shares even half a millisecond's work out to a thread for each core, and the threads then wait for
    more with all their might. Where anybody else wants the cores too, the median of it is ten times as long.
    """
    import numpy as np  # noqa: PLC0415 - as above

    out: Floats = np.einsum("ij,j->i", rows, query)
    return out
