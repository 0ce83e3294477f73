"""Nesting of definitions: those with a piece of their own, and those folded into another's."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.parsing import Definition

MAX_FOLDED_LINES = 20
"""A class of at most this many lines is one piece; `defines` lists its members."""


def fold_definitions(definitions: Sequence[Definition]) -> tuple[list[Definition], Mapping[int, list[str]]]:
    """Fold small definitions into the definition around them.

    These are definitions without room for a piece, and members of short classes.

    Returns:
        The definitions that become pieces, and by their `id()` the symbols folded into them.
    """
    kept: list[Definition] = []
    folded: dict[int, list[str]] = defaultdict(list)
    holders: dict[int, Definition] = {}  # from a folded or short definition to the one that takes its members
    latest: dict[int, Definition] = {}  # the last piece so far under each parent
    for each in definitions:
        parent = id(each.parent)
        holder = (
            holders.get(parent)
            or (each.parent if each.is_local else None)
            or _resolve_overlap(each, latest.get(parent))
        )
        if holder is not None:
            folded[id(holder)].extend((each.symbol, *each.more))
            holders[id(each)] = holder
            continue
        kept.append(each)
        latest[parent] = each
        if each.end - each.start < MAX_FOLDED_LINES:
            holders[id(each)] = each
    return kept, folded


def _resolve_overlap(each: Definition, before: Definition | None) -> Definition | None:
    """Move a definition's start below its parent's head and its neighbour's end.

    Returns:
        None; or, when no row is left, the definition that takes it.
    """
    parent = each.parent
    if parent is not None and each.start <= parent.head:
        each.start = parent.head + 1
        if each.start > each.end:
            return parent
    if before is not None and each.start <= before.end:
        each.start = before.end + 1
        if each.start > each.end:
            return before
    each.head = max(each.head, each.start)
    return None
