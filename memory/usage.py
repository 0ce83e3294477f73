"""Uses of chunks, and their activation by ACT-R: displayed, and not ranked by."""

from __future__ import annotations

import heapq
import math
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.memory.model.graph import LinkFilter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.graph.graph import Graph

    from .storage.store import Store, Tables


# The usual decay of ACT-R. To rank by activation was measured on two repositories and made no search better, so that
# it is only shown.
DECAY = 0.5
MAX_USES = 50
"""Stored uses per chunk; older ones add next to nothing."""
MIN_AGE = 1.0
"""Seconds; a use now counts as one second old, since the formula has no value at 0."""


def record_use(store: Store, ids: Sequence[str], at: float | None = None) -> None:
    """Record a use of these chunks; ignore unknown ids.

    Args:
        store: the database.
        ids: the chunks.
        at: the time in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    with store.begin_write() as db:
        write_uses(db, [(id_, moment) for id_ in dict.fromkeys(ids)])


def find_chunks_at_lines(store: Store, path: str, start: int, end: int) -> tuple[str, ...]:
    """Find the chunks of a file that have one of these lines, in the order of the last index.

    Args:
        store: the database.
        path: relative to the project.
        start: the first line, counted from 1.
        end: the last line.
    """
    with store.begin_read() as db:
        chunks = db.chunks.list_by_file(path)
    return tuple(chunk.id for chunk in chunks if chunk.start_line <= end and chunk.end_line >= start)


def write_uses(db: Tables, uses: Sequence[tuple[str, float]]) -> None:
    """Store uses, `(id, seconds since 1970)`, and delete the oldest of each chunk."""
    db.usage.add_existing(uses)
    db.usage.trim([id_ for id_, _ in uses], MAX_USES)


def compute_activation(store: Store, ids: Sequence[str], at: float | None = None) -> dict[str, float]:
    """Compute the base-level activation of these chunks; omit those never used.

    Args:
        store: the database.
        ids: the chunks.
        at: the reference time in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    with store.begin_read() as db:
        uses = db.usage.get_by_id(ids)
    return {id_: compute_base_level([moment - then for then in some]) for id_, some in uses.items()}


def compute_base_level(ages: Sequence[float]) -> float:
    """Compute B = ln Σ t_j^-0.5 over the ages t_j in seconds, at least one.

    Source: Anderson and Schooler 1991; Anderson, "How Can the Human Mind Occur in the Physical Universe?", 2007.
    """
    return math.log(sum(max(age, MIN_AGE) ** -DECAY for age in ages))


_MAX_PENDING = 10_000
"""Pending uses at most; the oldest are dropped."""


class UsageRecorder:
    """Buffer of uses that are not written yet; thread-safe.

    While another process writes for long (an index of a large project), they stay here until the next use or the end.

    Args:
        store: the database; nothing is recorded for a read-only one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._pending: list[tuple[str, float]] = []

    def record(self, ids: Sequence[str]) -> None:
        """Record that these chunks are used now."""
        if self._store.read_only or not ids:
            return
        now = time.time()
        with self._lock:
            self._pending += [(id_, now) for id_ in ids]
            # Another process may index for minutes, while a server goes on to answer: the buffer has an end.
            del self._pending[:-_MAX_PENDING]
        self.flush()

    def flush(self) -> None:
        """Write the pending uses if no other process holds the lock."""
        with self._lock:
            waiting, self._pending = self._pending, []
        if not waiting:
            return
        try:
            with self._store.begin_write(wait=False) as db:
                write_uses(db, waiting)
        except Fault:  # busy, full or forbidden: the caller reads and did not request a write
            with self._lock:
                self._pending = [*waiting, *self._pending][-_MAX_PENDING:]


MAX_STRENGTH = 2.0
"""S, the maximum that one source can add; between 1.5 and 3 in the models of Anderson and others (1996 and later)."""
_FOCUS_SIZE = 5
_MAX_LINKS = 500


@dataclass(frozen=True, slots=True)
class ChunkActivation:
    """Chunk and its activation at one moment.

    Attributes:
        base: B = ln Σ t_j^-d over the ages of its learning and its uses, in seconds.
        spread: Σ_j W_j S_j over the sources of the focus that the code graph links with it.
        uses: how often it was brought to a model or read; only the latest `usage.MAX_USES` count.
        last: the time of its last use in seconds since 1970; None when it was never used.
    """

    id: str
    path: str | None
    symbol: str
    start_line: int
    end_line: int
    base: float
    spread: float
    uses: int
    last: float | None

    @property
    def total(self) -> float:
        """A = B + the spread activation."""
        return self.base + self.spread


def rank_active_chunks(
    store: Store, graph: Graph, focus: Sequence[str] = (), *, first: int, at: float | None = None
) -> tuple[list[ChunkActivation], tuple[str, ...]]:
    """Rank the most active chunks, and return the focus of the spread.

    A chunk counts as learnt when its file was last written, so that each has a base level. A chunk without a file that
    was never read has none and is omitted.

    Args:
        store: the database.
        graph: the code graph over the same store.
        focus: ids of the chunks in focus; the few that were read last when empty.
        first: the number of chunks.
        at: the reference time in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    with store.begin_read() as db:
        uses = dict(db.usage.iter_existing())
    sources = tuple(focus) or tuple(sorted(uses, key=lambda id_: (-uses[id_][-1], id_))[:_FOCUS_SIZE])
    spread = _spread_activation(graph, sources)
    with store.begin_read() as db:
        every = _compute_activations(db, uses, spread, moment)
        best = heapq.nsmallest(first, every, key=lambda one: (-one.total, one.id))
    return best, sources


def _compute_activations(
    db: Tables, uses: Mapping[str, Sequence[float]], spread: Mapping[str, float], moment: float
) -> Iterator[ChunkActivation]:
    for id_, path, symbol, start, end, written in db.chunks.iter_provenance():
        read = uses.get(id_, ())
        # The writing of the file counts as one use; else nearly all chunks had no activation to compare.
        ages = [moment - at for at in (*read, *([written] if written is not None else []))]
        if ages:
            last = read[-1] if read else None
            yield ChunkActivation(
                id_, path, symbol, start, end, compute_base_level(ages), spread.get(id_, 0.0), len(read), last
            )


def _spread_activation(graph: Graph, sources: Sequence[str]) -> dict[str, float]:
    """Compute Σ W_j S_j: W_j = 1/n, S_j = S - ln(1 + fan_j), times confidence."""
    out: dict[str, float] = {}
    for source in sources:
        linked = _find_linked_chunks(graph, source)
        # A chunk with many links says little about each of them; without the floor it would even count against them.
        strength = max(MAX_STRENGTH - math.log(1 + len(linked)), 0.0)
        for id_, confidence in linked.items():
            out[id_] = out.get(id_, 0.0) + strength * confidence / len(sources)
    return out


def _find_linked_chunks(graph: Graph, id_: str) -> dict[str, float]:
    """Find the chunks that the graph links with a chunk, with the best confidence."""
    out: dict[str, float] = {}
    for node in graph.find_in_chunk(id_):
        for link in graph.list_neighbors(node, LinkFilter(limit=_MAX_LINKS)).links:
            other = graph.find_chunk(link.node)
            if other is not None and other != id_:
                out[other] = max(out.get(other, 0.0), link.confidence)
    return out
