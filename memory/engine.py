"""The memory's one door: open it, index, search, get, remember, journal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import patterns, store_chunks, store_stats
from .journal import Journal
from .store import PATIENCE, Store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from .model import Chunk, ChunkType, Stats

Progress = "Callable[[float, float | None, str], None]"


def _unwatched(done: float, total: float | None, message: str) -> None:
    """Nobody is watching."""


class Memory:
    """The memory of one project in one SQLite file; a context manager, safe to use from several threads.

    Every method may raise the faults of `store_faults`: TIMEOUT when another process holds the database for too
    long, FORBIDDEN when it may not be written, UPSTREAM_ERROR when it is damaged.

    Attributes:
        path: the database file.
        read_only: nothing is written through this memory; an absent file is an empty memory.
        journal: the runs and their steps.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.path = store.path
        self.read_only = store.read_only
        self.journal = Journal(store)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, patience: float = PATIENCE) -> Memory:
        """Open the memory at `path`, and make it when it is missing.

        Args:
            path: the database file; see `locate.database_path`.
            read_only: create nothing and change nothing.
            patience: seconds to wait for another process's lock.

        Raises:
            Fault: when the file is damaged, newer than this program, not ours, or not reachable.
        """
        return cls(Store(path, read_only=read_only, patience=patience))

    def close(self) -> None:
        """Close the database; closing twice is no mistake."""
        self._store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """These chunks, in the order asked; ids that do not exist are left out."""
        with self._store.reading() as db:
            return store_chunks.get(db, ids)

    def missing(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Which of these ids do not exist, in the order given."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM chunks) ORDER BY key",
                (json.dumps(list(ids)),),
            ).fetchall()
        return tuple(row[0] for row in rows)

    def remember(
        self,
        *,
        type: ChunkType,  # noqa: A002 - the field's word, and the column's
        kind: str,
        symbol: str,
        text: str,
        metadata: Mapping[str, Any],
    ) -> tuple[str, bool]:
        """Keep a record that no file holds: `(id, created)`; the same record twice is stored once.

        Raises:
            Fault: INVALID_INPUT for an unknown type, empty text, or metadata that is not JSON.
        """
        return patterns.remember(self._store, type_=type, kind=kind, symbol=symbol, text=text, metadata=metadata)

    def stats(self) -> Stats:
        """What the memory holds."""
        return store_stats.stats(self._store)
