"""Rows of a drawing: each box below those that lead to it, and waypoints of long arrows.

The method is that of Sugiyama, Tagawa and Toda 1981, "Methods for visual understanding of hierarchical system
structures": rank, order within the ranks, coordinates. Labels of arrows are waypoints with a size, so that they cover
nothing (Gansner, Koutsofios, North and Vo 1993, "A technique for drawing directed graphs").
"""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .flow import LABEL_HEIGHT, LABEL_SIZE
from .text import measure_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .flow import Arrow, Box, Flow

_SWEEPS = 16
_FEW_SWEEPS = 2
_MANY_VERTICES = 4_000
"""Vertices from which on the order is improved less often."""
_WAYPOINT = 7.0
_LOOP_WIDTH = 26.0
_LABEL_GAP = 6.0
SPINE_WEIGHT = 16.0
"""Weight of the arrows of the longest way; another one has 1 or 2."""


class Vertex(NamedTuple):
    """A box, or a waypoint of an arrow, in a row.

    Attributes:
        box: the box; None for a waypoint.
        left, right: how far it reaches from its middle.
        height: its height; 0 for a waypoint without a label.
    """

    box: Box | None
    left: float
    right: float
    height: float


class Route(NamedTuple):
    """An arrow and its vertices.

    Attributes:
        vertices: from the upper box to the lower one.
        is_up: True when it points to the upper one.
        label: position of the waypoint with the label in `vertices`.
    """

    arrow: Arrow
    vertices: tuple[int, ...]
    is_up: bool
    label: int


class Layers(NamedTuple):
    """Rows of vertices.

    Attributes:
        vertices: boxes and waypoints by number.
        rows: their numbers, from the top, each row from left to right.
        routes: the arrows between boxes.
        loops: the arrows of a box to itself.
    """

    vertices: Sequence[Vertex]
    rows: Sequence[Sequence[int]]
    routes: Sequence[Route]
    loops: Sequence[Arrow]


def build_layers(flow: Flow) -> Layers:
    """Place the boxes and arrows of a flow in rows, with few crossings."""
    places = {box.name: place for place, box in enumerate(flow.boxes)}
    loops = [arrow for arrow in flow.arrows if arrow.source == arrow.target]
    ranks, vertices = _rank_boxes(flow, places), _build_vertices(flow, loops)
    rows: list[list[int]] = [[] for _ in range(2 * max(ranks, default=0) + 1)]
    for place, rank in enumerate(ranks):
        rows[2 * rank].append(place)
    routes = []
    for arrow in _strengthen_spine(flow, places, ranks):
        upper, lower = places[arrow.source], places[arrow.target]
        if upper != lower:
            is_up = ranks[lower] < ranks[upper]
            upper, lower = (lower, upper) if is_up else (upper, lower)
            chain = _add_waypoints(arrow, vertices, rows[2 * ranks[upper] + 1 : 2 * ranks[lower]], is_up=is_up)
            routes.append(Route(arrow, (upper, *chain, lower), is_up, len(chain) if is_up else 1))
    _order_rows(rows, _list_segments(routes), sweeps=_SWEEPS if len(vertices) < _MANY_VERTICES else _FEW_SWEEPS)
    return Layers(vertices, rows, routes, loops)


def _build_vertices(flow: Flow, loops: Sequence[Arrow]) -> list[Vertex]:
    widths = {arrow.source: _LOOP_WIDTH + _measure_labels(arrow) for arrow in loops}
    return [Vertex(box, box.width / 2, box.width / 2 + widths.get(box.name, 0.0), box.height) for box in flow.boxes]


def _rank_boxes(flow: Flow, places: dict[str, int]) -> list[int]:
    """Rank each box below those before it that lead to it; boxes of a row do not lead to each other."""
    ranks = [0] * len(flow.boxes)
    leading: dict[int, list[int]] = {}
    for arrow in flow.arrows:
        low, high = sorted((places[arrow.source], places[arrow.target]))
        if low != high:
            leading.setdefault(low, []).append(high)
    for place in range(len(ranks)):
        for target in leading.get(place, ()):
            ranks[target] = max(ranks[target], ranks[place] + 1)
    return ranks


def _strengthen_spine(flow: Flow, places: dict[str, int], ranks: Sequence[int]) -> list[Arrow]:
    """Give the arrows of one longest way from the start a greater weight: it is drawn straight."""
    steps: dict[int, list[int]] = {}
    for number, arrow in enumerate(flow.arrows):
        source, target = places[arrow.source], places[arrow.target]
        if ranks[target] == ranks[source] + 1 and source < target:
            steps.setdefault(source, []).append(number)
    depths = [0] * len(ranks)
    for source in range(len(ranks) - 1, -1, -1):
        depths[source] = 1 + max((depths[places[flow.arrows[n].target]] for n in steps.get(source, ())), default=0)
    arrows, at = list(flow.arrows), 0
    while at in steps:
        best = max(steps[at], key=lambda number: depths[places[arrows[number].target]])
        arrows[best] = arrows[best]._replace(weight=SPINE_WEIGHT)
        at = places[arrows[best].target]
    return arrows


def _add_waypoints(arrow: Arrow, vertices: list[Vertex], rows: Sequence[list[int]], *, is_up: bool) -> list[int]:
    """Add a waypoint to each of these rows, of which the one next to the source has the label."""
    chain = list(range(len(vertices), len(vertices) + len(rows)))
    labelled = chain[-1 if is_up else 0]
    for n, row in zip(chain, rows, strict=True):
        row.append(n)
        has_label = n == labelled
        width = _measure_labels(arrow) if has_label else 0.0
        height = LABEL_HEIGHT * len(arrow.labels) if has_label else 0.0
        vertices.append(Vertex(None, _WAYPOINT, _WAYPOINT + width, height))
    return chain


def _measure_labels(arrow: Arrow) -> float:
    return max((measure_text(label, LABEL_SIZE) + _LABEL_GAP for label in arrow.labels), default=0.0)


def _list_segments(routes: Sequence[Route]) -> list[tuple[int, int]]:
    return [pair for route in routes for pair in pairwise(route.vertices)]


def _order_rows(rows: list[list[int]], segments: Sequence[tuple[int, int]], sweeps: int) -> None:
    """Order each row by the mean place of the neighbours; keep the order with the fewest crossings."""
    above, below = _map_segments((lower, upper) for upper, lower in segments), _map_segments(segments)
    best, fewest = [list(row) for row in rows], _count_crossings(rows, below)
    for sweep in range(sweeps):
        if not fewest:
            break
        down = sweep % 2 == 0
        for before, row in pairwise(rows if down else rows[::-1]):
            _sort_row(row, before, above if down else below)
        crossings = _count_crossings(rows, below)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    rows[:] = best


def _map_segments(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for one, other in pairs:
        found.setdefault(one, []).append(other)
    return found


def _sort_row(row: list[int], before: Sequence[int], neighbours: dict[int, list[int]]) -> None:
    places = {vertex: place for place, vertex in enumerate(before)}
    means = {}
    for place, vertex in enumerate(row):
        near = [places[other] for other in neighbours.get(vertex, ()) if other in places]
        means[vertex] = sum(near) / len(near) if near else float(place)
    row.sort(key=means.__getitem__)


def _count_crossings(rows: Sequence[Sequence[int]], below: dict[int, list[int]]) -> int:
    crossings = 0
    for row, after in pairwise(rows):
        places = {vertex: place for place, vertex in enumerate(after)}
        seen: list[int] = []
        for vertex in row:
            ends = sorted(places[other] for other in below.get(vertex, ()) if other in places)
            crossings += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings
