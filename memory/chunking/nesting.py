"""Decides which definitions are pieces of their own, and which stay inside another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.parsing import Definition

MAX_FOLDED_LINES = 20
"""A class of no more lines than this is one piece; its members are named in `defines`."""


def fold_definitions(definitions: Sequence[Definition]) -> tuple[list[Definition], Mapping[int, list[str]]]:
    """The definitions that become pieces, and the symbols that such a piece holds besides its own, by its `id()`."""
    kept: list[Definition] = []
    held: dict[int, list[str]] = defaultdict(list)
    holders: dict[int, Definition] = {}  # what is folded away, or small, to the piece that takes its members
    latest: dict[int, Definition] = {}  # the last piece so far under each parent
    for each in definitions:
        parent = id(each.parent)
        holder = holders.get(parent) or _resolve_overlap(each, latest.get(parent))
        if holder is not None:
            held[id(holder)].extend((each.symbol, *each.more))
            holders[id(each)] = holder
            continue
        kept.append(each)
        latest[parent] = each
        if each.end - each.start < MAX_FOLDED_LINES:
            holders[id(each)] = each
    return kept, held


def _resolve_overlap(each: Definition, before: Definition | None) -> Definition | None:
    """Lets a definition begin below its parent's head and its neighbour's end; with no row left, gives who takes it."""
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
