"""Boxes and arrows of a drawing, with their texts and sizes; several rules may be one arrow."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.language import END

from .text import measure_text, wrap_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Diagram, DiagramEdge, DiagramNode, EdgeKind
    from .visits import Visits

NAME_SIZE, TEXT_SIZE, LABEL_SIZE = 13.0, 12.0, 11.0
LINE_HEIGHT, LABEL_HEIGHT, PADDING = 17.0, 14.0, 10.0
_TITLE_WIDTH, _LABEL_WIDTH, _LEAST_WIDTH = 240.0, 170.0, 130.0
_TITLE_LINES, _LABEL_LINES = 2, 2
_DOT_SIZE = 16.0
_MAX_LABELS = 4
"""Lines of the conditions of one arrow; the phase's tooltip has all."""
_MAX_ARROWS = 500
"""Arrows that are drawn as lines; further ones are named in their box."""
_MAX_SPAN = 25
"""Rows that an arrow of a large workflow may cross; a longer one is named in its box."""
_LARGE = 60
"""Phases of a large workflow."""
_MAX_KEPT = 16
"""Diagrams whose boxes are kept: a page draws the same few workflows again and again."""
_PLAIN_WEIGHT = 2.0
"""How much straighter the way without a condition is than another one."""


class Box(NamedTuple):
    """A box to place; `node` is None for the dots of the start and of an end.

    Attributes:
        name: unique among the boxes.
        lines: texts below the name, each with its class.
        width, height: its size.
        fails: True when a marker shows that it has the common way after a failure.
    """

    name: str
    node: DiagramNode | None
    lines: tuple[tuple[str, str], ...]
    width: float
    height: float
    fails: bool = False


class Arrow(NamedTuple):
    """An arrow between two boxes.

    Attributes:
        kind: that of its first rule.
        labels: its lines of text.
        weight: how straight it should be.
    """

    source: str
    target: str
    kind: EdgeKind
    labels: tuple[str, ...]
    weight: float


class Flow(NamedTuple):
    """Boxes in their order, the start first, and arrows.

    Attributes:
        boxes: in the order of the diagram.
        arrows: in the order of the rules.
        failing: the common target after failures; empty without one.
    """

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    failing: str


def build_flow(diagram: Diagram, visits: Visits | None = None) -> Flow:
    """Build the boxes and arrows of a diagram; a label says how often a run went there, if more than once."""
    flow = _build_plain_flow(diagram)
    if visits is None:
        return flow
    return flow._replace(arrows=tuple(_label_visits(arrow, visits) for arrow in flow.arrows))


@lru_cache(_MAX_KEPT)
def _build_plain_flow(diagram: Diagram) -> Flow:
    failing = _find_common_failure(diagram)
    places = {node.name: place for place, node in enumerate(diagram.nodes)}
    arrows: list[Arrow] = []
    boxes: list[Box] = [Box(":start", None, (), _DOT_SIZE, _DOT_SIZE)]
    if diagram.start in places:
        arrows.append(Arrow(":start", diagram.start, "then", (), _PLAIN_WEIGHT))
    for node in diagram.nodes:
        own, named = _split_edges(node, places, failing, room=_MAX_ARROWS - len(arrows))
        arrows += _merge_edges(own)
        boxes.append(_build_box(node, named, fails=_fails_to(node, failing)))
        if any(edge.target == END for edge in own):
            boxes.append(Box(f"{node.name}:end", None, (), _DOT_SIZE, _DOT_SIZE))
    return Flow(tuple(_align_widths(boxes)), tuple(arrows), failing)


def _align_widths(boxes: Sequence[Box]) -> list[Box]:
    """Give all phases the width of the widest one, as far as that is not out of the ordinary."""
    widths = [box.width for box in boxes if box.node is not None and box.width <= _TITLE_WIDTH + 2 * PADDING]
    widest = max(widths, default=0.0)
    return [box if box.node is None else box._replace(width=max(box.width, widest)) for box in boxes]


def _label_visits(arrow: Arrow, visits: Visits) -> Arrow:
    count = count_visits(arrow, visits)
    return arrow._replace(labels=(*arrow.labels, f"{count} times")) if count > 1 else arrow


def count_visits(arrow: Arrow, visits: Visits) -> int:
    """Count how often a run took an arrow; that to the first phase counts once."""
    if arrow.source == ":start":
        return 1 if visits.phases else 0
    target = END if arrow.target == f"{arrow.source}:end" else arrow.target
    return visits.ways.get((arrow.source, target), 0)


def _find_common_failure(diagram: Diagram) -> str:
    """Find the target of most failures, when two phases or more have it."""
    targets = [edge.target for node in diagram.nodes for edge in node.edges if edge.kind == "on_error" and edge.target]
    most = max(sorted(set(targets)), key=targets.count, default="")
    return most if targets.count(most) > 1 else ""


def _fails_to(node: DiagramNode, target: str) -> bool:
    return bool(target) and any(edge.kind == "on_error" and edge.target == target for edge in node.edges)


def _split_edges(
    node: DiagramNode, places: dict[str, int], failing: str, *, room: int
) -> tuple[list[DiagramEdge], list[DiagramEdge]]:
    """Split the edges into those that are drawn as arrows, and those that are named in the box."""
    drawn: list[DiagramEdge] = []
    named: list[DiagramEdge] = []
    for edge in node.edges:
        if edge.kind == "on_error" and edge.target == failing:
            continue
        if edge.target is None or (edge.target != END and edge.target not in places):
            named.append(edge)
            continue
        span = abs(places[edge.target] - places[node.name]) if edge.target != END else 1
        is_far = len(places) > _LARGE and span > _MAX_SPAN
        (named if is_far or len(drawn) >= room else drawn).append(edge)
    return drawn, named


def _merge_edges(edges: Sequence[DiagramEdge]) -> list[Arrow]:
    """Merge the edges to one target, of which each condition is a label."""
    merged: dict[tuple[str, bool], list[DiagramEdge]] = {}
    for edge in edges:
        target = f"{edge.source}:end" if edge.target == END else str(edge.target)
        merged.setdefault((target, edge.kind == "on_error"), []).append(edge)
    is_only = sum(not fails for _, fails in merged) == 1
    return [_build_arrow(target, some, is_only=is_only) for (target, _), some in merged.items()]


def _build_arrow(target: str, edges: Sequence[DiagramEdge], *, is_only: bool) -> Arrow:
    """Build an arrow; a way that is taken without a condition says so only beside others."""
    kind = "then" if any(edge.kind == "then" for edge in edges) else edges[0].kind
    if any(edge.kind == "then" and not edge.short for edge in edges):
        return Arrow(edges[0].source, target, kind, () if is_only else ("otherwise",), _PLAIN_WEIGHT)
    labels: list[str] = []
    for short in dict.fromkeys(edge.short for edge in edges):
        labels += wrap_text(short, _LABEL_WIDTH, LABEL_SIZE, _LABEL_LINES)
    if len(labels) > _MAX_LABELS:
        labels[_MAX_LABELS:] = ["…"]
    return Arrow(edges[0].source, target, kind, tuple(labels), 1.0)


def _build_box(node: DiagramNode, named: Sequence[DiagramEdge], *, fails: bool) -> Box:
    lines = [("title", line) for line in wrap_text(node.title, _TITLE_WIDTH, TEXT_SIZE, _TITLE_LINES)]
    lines += [
        ("jump" if edge.target else "mark", f"→ {edge.target or edge.label.rpartition('→ ')[2]}") for edge in named
    ]
    lines += [("mark", f"✗ {node.problem_codes}")] if node.problem_codes else []
    head = measure_text(node.name, NAME_SIZE) * 1.08 + 16 + measure_text(format_tags(node), LABEL_SIZE)
    wide = max([head, *(measure_text(text, TEXT_SIZE) for _, text in lines)])
    height = PADDING * 1.4 + LINE_HEIGHT * (1 + len(lines))
    return Box(node.name, node, tuple(lines), max(wide + 2 * PADDING, _LEAST_WIDTH), height, fails)


def format_tags(node: DiagramNode) -> str:
    """Format what a phase consists of."""
    return " · ".join(node.tags)
