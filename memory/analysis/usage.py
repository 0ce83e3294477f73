"""When chunks were used, and the ACT-R base-level activation that follows from it; shown, never ranked by."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.sqlite import Store
    from aurora.memory.sqlite.tables import Tables

DECAY = 0.5
MAX_USES = 50
"""Accesses kept for each chunk; older ones add next to nothing."""
MIN_AGE = 1.0
"""Seconds: an access just now counts as one second old, for the formula has no value at 0."""


def record_use(store: Store, ids: Sequence[str], at: float | None = None) -> None:
    """Record that these chunks were used; ids that do not exist are passed over.

    Args:
        store: where to.
        ids: the chunks.
        at: when, in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    with store.begin_write() as db:
        write_uses(db, [(id_, moment) for id_ in dict.fromkeys(ids)])


def write_uses(db: Tables, uses: Sequence[tuple[str, float]]) -> None:
    """Keep uses, `(id, seconds since 1970)`, in an open write transaction; the oldest of each chunk give way."""
    db.usage.add_existing(uses)
    db.usage.trim([id_ for id_, _ in uses], MAX_USES)


def compute_activation(store: Store, ids: Sequence[str], at: float | None = None) -> dict[str, float]:
    """The base level of each of these chunks that was ever used, from its uses alone.

    Args:
        store: where from.
        ids: the chunks.
        at: the moment to look from, in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    with store.begin_read() as db:
        uses = db.usage.get_by_id(ids)
    return {id_: compute_base_level([moment - then for then in some]) for id_, some in uses.items()}


def compute_base_level(ages: Sequence[float]) -> float:
    """B = ln Σ t_j^-0.5, t_j the ages in seconds, of which there is at least one.

    Source: Anderson and Schooler 1991; Anderson, "How Can the Human Mind Occur in the Physical Universe?", 2007.
    """
    return math.log(sum(max(age, MIN_AGE) ** -DECAY for age in ages))
