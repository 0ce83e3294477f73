"""Order of subgoals: unique ids, known dependencies, no cycle, and a fitting number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import DecompositionFault, FaultCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Subgoal, SubgoalRange


def find_order_faults(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """Find faults that make every order impossible; all of them are fatal."""
    return [*_find_duplicates(subgoals), *_find_unknown_dependencies(subgoals), *_find_cycles(subgoals)]


def find_count_faults(subgoals: Sequence[Subgoal], span: SubgoalRange) -> list[DecompositionFault]:
    """Find a number of subgoals outside the range."""
    count = len(subgoals)
    if span.least <= count <= span.most:
        return []
    code: FaultCode = "too_few" if count < span.least else "too_many"
    message = f"{count} subgoals; expected {span.least} to {span.most} for this query"
    return [DecompositionFault(code=code, fatal=False, subgoal=None, message=message)]


def _find_duplicates(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    ids = [one.id for one in subgoals]
    return [
        DecompositionFault(
            code="duplicate_id", fatal=True, subgoal=name, message=f'{ids.count(name)} subgoals have the id "{name}"'
        )
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1
    ]


def _find_unknown_dependencies(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    ids = {one.id for one in subgoals}
    return [
        DecompositionFault(
            code="unknown_dependency",
            fatal=True,
            subgoal=one.id,
            message=f'subgoal "{one.id}" depends on "{other}", which does not exist',
        )
        for one in subgoals
        for other in one.depends_on
        if other not in ids
    ]


def _find_cycles(subgoals: Sequence[Subgoal]) -> list[DecompositionFault]:
    """Find subgoals that wait for each other, by removing all that have an order."""
    ids = {one.id for one in subgoals}
    waiting = {one.id: set(one.depends_on) & ids for one in subgoals}
    while ready := [name for name, needs in waiting.items() if not needs & waiting.keys()]:
        for name in ready:
            del waiting[name]
    if not waiting:
        return []
    ring = ", ".join(f'"{name}"' for name in sorted(waiting))
    message = f"{ring} wait for each other" if len(waiting) > 1 else f"{ring} depends on itself"
    return [DecompositionFault(code="cycle", fatal=True, subgoal=min(waiting), message=message)]
