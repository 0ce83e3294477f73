"""Uses of chunks and their ACT-R base-level activation; displayed, not ranked by."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.storage import Store, Tables

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
