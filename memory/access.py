"""When chunks were used, and the ACT-R base-level activation that follows from it; shown, never ranked by."""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING

from .store_rows import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .store import Store

DECAY = 0.5
KEPT = 50
"""Accesses kept for each chunk; older ones add next to nothing."""
_YOUNGEST = 1.0
"""Seconds: an access just now counts as one second old, for the formula has no value at 0."""


def touch(store: Store, ids: Sequence[str], at: float | None = None) -> None:
    """Record that these chunks were used; ids that do not exist are passed over.

    Args:
        store: where to.
        ids: the chunks.
        at: when, in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    wanted = json.dumps(list(dict.fromkeys(ids)))
    with store.writing() as db:
        db.execute(
            "INSERT OR IGNORE INTO accesses (id, at) "
            "SELECT id, ? FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
            (moment, wanted),
        )
        db.execute(
            "DELETE FROM accesses WHERE (id, at) IN (SELECT id, at FROM ("
            "SELECT id, at, row_number() OVER (PARTITION BY id ORDER BY at DESC) AS place FROM accesses "
            "WHERE id IN (SELECT value FROM json_each(?))) WHERE place > ?)",
            (wanted, KEPT),
        )


def activation(store: Store, ids: Sequence[str], at: float | None = None) -> dict[str, float]:
    """The base level of each of these chunks that was ever used: B = ln Σ t_j^-0.5, t_j the ages in seconds.

    Source: Anderson and Schooler 1991; Anderson, "How Can the Human Mind Occur in the Physical Universe?", 2007.

    Args:
        store: where from.
        ids: the chunks.
        at: the moment to look from, in seconds since 1970; now when None.
    """
    moment = time.time() if at is None else at
    sums: dict[str, float] = {}
    with store.reading() as db:
        rows = ask(
            db, "SELECT id, at FROM accesses WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
        )
        for id_, then in rows:
            sums[id_] = sums.get(id_, 0.0) + max(moment - then, _YOUNGEST) ** -DECAY
    return {id_: math.log(total) for id_, total in sums.items()}
