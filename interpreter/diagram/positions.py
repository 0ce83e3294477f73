"""Coordinates of the vertices of a drawing, with the longest way and long arrows as straight lines.

Vertices that share a line are one block. Blocks keep their distances in every row, and move towards their neighbours.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .layers import SPINE_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .layers import Layers

_GAP = 18.0
"""Space between two vertices of a row."""
_ROW_GAP = 11.0
_LABEL_ROW = 4.0
"""Least height of a row of waypoints."""
_PORT_GAP = 22.0
_ROUNDS = 40
_MAX_SPLITS = 40
"""Blocks that are split one by one where lines cross; beyond them all that cross are."""


class Ports(NamedTuple):
    """Places at which a route leaves its upper box and enters its lower one, from their middles."""

    upper: float
    lower: float


class Positions(NamedTuple):
    """Middle of each vertex, top of each row, height of each row, and ports of each route."""

    x: Sequence[float]
    tops: Sequence[float]
    heights: Sequence[float]
    ports: Sequence[Ports]


class _Link(NamedTuple):
    """Neighbour in the row above or below: the place that it wants for the vertex, and how much."""

    vertex: int
    offset: float
    weight: float


class _Blocks(NamedTuple):
    """Blocks of vertices.

    Attributes:
        of_vertex: the block of each vertex.
        order: the blocks, each after all that are left of it in a row.
        lefts, rights: the nearest blocks of each block, with the least distance.
    """

    of_vertex: Sequence[int]
    order: Sequence[int]
    lefts: Mapping[int, Mapping[int, float]]
    rights: Mapping[int, Mapping[int, float]]


def place_vertices(layers: Layers, left: float, top: float) -> Positions:
    """Compute the coordinates; everything is right of `left` and below `top`."""
    ports = _assign_ports(layers)
    blocks = _build_blocks(layers)
    places = _move_blocks(blocks, _link_vertices(layers, ports))
    x = [places[block] for block in blocks.of_vertex]
    least = min((x[n] - vertex.left for n, vertex in enumerate(layers.vertices)), default=0.0)
    heights = [
        max([_LABEL_ROW if number % 2 else 0.0, *(layers.vertices[n].height for n in row)])
        for number, row in enumerate(layers.rows)
    ]
    tops, at = [], top
    for height in heights:
        tops.append(at)
        at += height + _ROW_GAP
    return Positions([value - least + left for value in x], tops, heights, ports)


def _assign_ports(layers: Layers) -> list[Ports]:
    """Assign ports to the routes of a box: the straightest in the middle, the others beside it."""
    order = {vertex: place for row in layers.rows for place, vertex in enumerate(row)}
    leaving: dict[int, list[tuple[int, int]]] = {}
    entering: dict[int, list[tuple[int, int]]] = {}
    for number, route in enumerate(layers.routes):
        leaving.setdefault(route.vertices[0], []).append((order[route.vertices[1]], number))
        entering.setdefault(route.vertices[-1], []).append((order[route.vertices[-2]], number))
    upper, lower = (_spread_ports(side, layers) for side in (leaving, entering))
    return [Ports(upper[number], lower[number]) for number in range(len(layers.routes))]


def _spread_ports(sides: Mapping[int, list[tuple[int, int]]], layers: Layers) -> dict[int, float]:
    found: dict[int, float] = {}
    for vertex, some in sides.items():
        numbers = [number for _, number in sorted(some)]
        middle = max(range(len(numbers)), key=lambda place: layers.routes[numbers[place]].arrow.weight)
        widest = max(middle, len(numbers) - 1 - middle, 1)
        gap = min(_PORT_GAP, (layers.vertices[vertex].left - 8) / widest)
        found |= {number: (place - middle) * gap for place, number in enumerate(numbers)}
    return found


def _link_vertices(layers: Layers, ports: Sequence[Ports]) -> dict[int, list[_Link]]:
    """Link each vertex with its neighbours in the rows above and below."""
    links: dict[int, list[_Link]] = {}
    for route, port in zip(layers.routes, ports, strict=True):
        last = len(route.vertices) - 2
        for place, (upper, lower) in enumerate(pairwise(route.vertices)):
            offset = (port.upper if place == 0 else 0.0) - (port.lower if place == last else 0.0)
            links.setdefault(lower, []).append(_Link(upper, offset, route.arrow.weight))
            links.setdefault(upper, []).append(_Link(lower, -offset, route.arrow.weight))
    return links


def _build_blocks(layers: Layers) -> _Blocks:
    """Build the blocks; those whose lines cross have no order, and are split into their vertices."""
    groups = _group_vertices(layers)
    splits = 0
    while True:
        of_vertex = list(range(len(layers.vertices)))
        for group in groups:
            for n in group:
                of_vertex[n] = group[0]
        lefts, rights = _find_distances(layers, of_vertex)
        known = sorted(set(of_vertex))
        order = _sort_blocks(known, lefts, rights)
        if len(order) == len(known):
            return _Blocks(of_vertex, order, lefts, rights)
        crossing = set(known).difference(order)
        splits += 1
        among = [group for group in groups if group[0] in crossing]
        gone = among[-1:] if splits < _MAX_SPLITS else among
        groups = [group for group in groups if group not in gone]


def _group_vertices(layers: Layers) -> list[list[int]]:
    """Group the vertices of the longest way, and those of each other arrow, the greatest first."""
    spine = [route for route in layers.routes if route.arrow.weight == SPINE_WEIGHT]
    along = list(dict.fromkeys(n for route in spine for n in route.vertices))
    rest = (route for route in layers.routes if route.arrow.weight != SPINE_WEIGHT)
    others = sorted(rest, key=lambda route: -len(route.vertices))
    groups = [along, *(list(route.vertices[1:-1]) for route in others)]
    return [group for group in groups if len(group) > 1]


def _find_distances(
    layers: Layers, of_vertex: Sequence[int]
) -> tuple[dict[int, dict[int, float]], dict[int, dict[int, float]]]:
    """Find the neighbours of each block at its left and at its right, with the least distance."""
    lefts: dict[int, dict[int, float]] = {}
    rights: dict[int, dict[int, float]] = {}
    for row in layers.rows:
        for before, after in pairwise(row):
            distance = layers.vertices[before].right + _GAP + layers.vertices[after].left
            left, right = of_vertex[before], of_vertex[after]
            distance = max(distance, rights.get(left, {}).get(right, 0.0))
            rights.setdefault(left, {})[right] = lefts.setdefault(right, {})[left] = distance
    return lefts, rights


def _sort_blocks(
    blocks: Sequence[int], lefts: Mapping[int, Mapping[int, float]], rights: Mapping[int, Mapping[int, float]]
) -> list[int]:
    """Sort blocks from left to right, without those that are left and right of each other."""
    waiting = {block: len(lefts.get(block, ())) for block in blocks}
    ready = [block for block in blocks if not waiting[block]]
    for block in ready:
        for other in rights.get(block, ()):
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return ready


def _move_blocks(blocks: _Blocks, links: Mapping[int, Sequence[_Link]]) -> dict[int, float]:
    """Move the blocks from the left towards where their links want them, as far as their neighbours allow."""
    members: dict[int, list[int]] = {}
    for n, block in enumerate(blocks.of_vertex):
        members.setdefault(block, []).append(n)
    x: dict[int, float] = {}
    for block in blocks.order:
        x[block] = max((x[left] + distance for left, distance in blocks.lefts.get(block, {}).items()), default=0.0)

    def find_wanted(block: int) -> float:
        near = [link for n in members[block] for link in links.get(n, ()) if blocks.of_vertex[link.vertex] != block]
        weight = sum(link.weight for link in near)
        total = sum((x[blocks.of_vertex[link.vertex]] + link.offset) * link.weight for link in near)
        return total / weight if weight else x[block]

    for _ in range(_ROUNDS):
        for block in reversed(blocks.order):
            most = min((x[right] - far for right, far in blocks.rights.get(block, {}).items()), default=float("inf"))
            x[block] = max(x[block], min(find_wanted(block), most))
        for block in blocks.order:
            least = max((x[left] + far for left, far in blocks.lefts.get(block, {}).items()), default=float("-inf"))
            x[block] = min(x[block], max(find_wanted(block), least))
    return x
