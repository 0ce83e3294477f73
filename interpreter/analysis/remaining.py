"""Remaining phases: the fewest and the most that a run can still visit, from one of its phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.checks import view_definition
from aurora.interpreter.language import find_reachable

from .longest_walk import WalkWeights, measure_longest_walk
from .proof import build_path_metrics
from .walk_graph import list_targets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.language import Definition

    from .walk_graph import WalkEdge


@dataclass(frozen=True, slots=True)
class RemainingPhases:
    """Phases that a run can still visit without failures.

    Attributes:
        least: no path to an end has fewer visits.
        most: a bound of the visits; loops count in full, also rounds that the run has used. None without a bound.
        names: the phases that a path contains, in the order of the file.
    """

    least: int
    most: int | None
    names: tuple[str, ...]


def measure_remaining(definition: Definition, phase: str) -> RemainingPhases:
    """Measure the phases from one phase to an end, that phase included.

    Args:
        definition: a workflow without errors.
        phase: the name of one of its phases.
    """
    metrics = build_path_metrics(view_definition(definition, None))
    if metrics is None:
        return RemainingPhases(0, None, ())
    ways = {name: _drop_failures(edges) for name, edges in metrics.ways.items()}
    reached = find_reachable([phase], {name: list_targets(edges) for name, edges in ways.items()})
    longest = measure_longest_walk(phase, ways, WalkWeights(lambda _: 1))
    return RemainingPhases(
        least=_count_fewest(phase, ways),
        most=None if longest is None else longest.length,
        names=tuple(name for name in definition.workflow.phases if name in reached),
    )


def _drop_failures(edges: Sequence[WalkEdge]) -> list[WalkEdge]:
    return [edge for edge in edges if not edge.fails]


def _count_fewest(phase: str, ways: Mapping[str, Sequence[WalkEdge]]) -> int:
    """Count the phases on a shortest path to an end, level by level."""
    level, seen, count = {phase}, {phase}, 1
    while level:
        edges = [edge for name in level for edge in ways[name]]
        if any(edge.target is None or (edge.most is not None and edge.instead is None) for edge in edges):
            return count
        if any(not ways[name] for name in level):
            return count
        level = set(list_targets(edges)) - seen
        seen |= level
        count += 1
    return count - 1
