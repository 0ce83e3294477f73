"""ACT-R activation of chunks: base level, and spread from a focus.

It is displayed and not ranked by: in `bench/activation.py`, a ranking with it is not better on two repositories.
"""

from __future__ import annotations

import heapq
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.memory.model import LinkFilter

from .usage import compute_base_level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.graph.query import Graph
    from aurora.memory.storage import Store, Tables

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
