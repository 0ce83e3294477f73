"""Assignment of subgoals without quotes to the parts of a question, by words and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Likeness = tuple[tuple[float, ...], ...]
"""For each part, the likeness 0..1 of each piece of work."""


def find_unmatched(likeness: Likeness, owners: Sequence[int], about_from: float, bound_from: float) -> list[int]:
    """Find the parts that no work is about, when no subgoal is left for them.

    A piece of work is bound to the part that it is most like. A subgoal of which a piece is bound to none is free, and
    may do any part.

    Args:
        likeness: one row for each part, one column for each piece of work.
        owners: the subgoal of each piece of work.
        about_from: likeness from which a piece of work is about a part.
        bound_from: likeness from which it is bound to that part, and to no other.
    """
    parts = range(len(likeness))
    claimed = {_find_most_like(likeness, piece) for piece in range(len(owners))}
    unmatched = [part for part in parts if part not in claimed and max(likeness[part]) < about_from]
    highest = [max(column) for column in zip(*likeness, strict=True)]
    free = {owner for owner, most in zip(owners, highest, strict=True) if most < bound_from}
    return unmatched if len(unmatched) > len(free) else []


def _find_most_like(likeness: Likeness, piece: int) -> int | None:
    column = [row[piece] for row in likeness]
    return column.index(max(column)) if max(column) > 0 else None
