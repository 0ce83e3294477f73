"""SVG renderer: boxes in rows, arrows as curves between them, details in tooltips."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.language import END

from .flow import LABEL_HEIGHT, LINE_HEIGHT, PADDING, build_flow, count_visits, format_tags
from .layers import build_layers
from .positions import place_vertices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .flow import Arrow, Box, Flow
    from .layers import Layers, Route
    from .links import Links
    from .model import Diagram, DiagramNode
    from .positions import Ports, Positions
    from .visits import Visits

_MARGIN, _HEAD, _SMALL_HEAD = 24.0, 62.0, 16.0
_MAX_KEPT = 16
"""Layouts that are kept."""
_TIP = 7.0
_STRAIGHT = 0.05
"""Distance below which two points count as above each other."""
_BASE = PADDING * 0.7 + 13
"""Base line of the first text below the top of a box."""
STYLE = """
svg{color-scheme:light dark}text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2430}
.back{fill:#fff}.box{fill:#f4f6fb;stroke:#5b6b8c;stroke-width:1.4}.name{font-size:13px;font-weight:600}
.head{font-size:16px;font-weight:600}.tags,.sub,.jump{fill:#5b6475}.tags,.label{font-size:11px}.mark{fill:#c62828}
.label{paint-order:stroke;stroke:#fff;stroke-width:3px;fill:#33405c}.dot{fill:#1f2430}
.ring{fill:none;stroke:#1f2430;stroke-width:1.5}
.decision .box{fill:#fff7e0;stroke:#a87b00}.person .box{fill:#e9f7ec;stroke:#2e7d46}
.workflow .box{fill:#efeafb;stroke:#6a4fb3}
.bad .box{stroke:#c62828;stroke-width:3}.faint{opacity:.35}.current .box{stroke-width:4}
.way{fill:none;stroke:#2f62b0;stroke-width:1.6}
.walked{stroke-width:3.2}.else{stroke:#a86400}.on_error{stroke:#c62828;stroke-dasharray:5 4}.tip{fill:#2f62b0}
.tip.else{fill:#a86400;stroke:none}.tip.on_error{fill:#c62828;stroke:none}.badge circle{fill:#fff;stroke:#8a94a8}
.badge text{fill:#5b6475;font-size:8px;font-weight:700}
.failed circle{stroke:#c62828;stroke-width:1.4}.failed text{fill:#c62828}
@media(prefers-color-scheme:dark){text{fill:#e4e8f1}.back{fill:#15181f}.box{fill:#222733;stroke:#8fa3cc}
.tags,.sub,.jump{fill:#a6afc2}.mark{fill:#ff7b72}.label{stroke:#15181f;fill:#c3cde2}.dot{fill:#e4e8f1}
.ring{stroke:#e4e8f1}
.decision .box{fill:#332b14;stroke:#d9ab3a}.person .box{fill:#17301f;stroke:#6cc188}
.workflow .box{fill:#29223d;stroke:#a78bea}
.bad .box{stroke:#ff7b72}.way{stroke:#7fb0f5}.else{stroke:#f0a94a}.on_error{stroke:#ff7b72}
.tip{fill:#7fb0f5}.tip.else{fill:#f0a94a}.tip.on_error{fill:#ff7b72}
.badge circle{fill:#15181f;stroke:#6d778c}.badge text{fill:#a6afc2}
.failed circle{stroke:#ff7b72}.failed text{fill:#ff7b72}}
"""
"""Style sheet of a drawing; a page that has several contains it once."""
_RADII = {"phase": 6.0, "decision": 0.0, "person": 18.0, "workflow": 6.0}


class _Sheet(NamedTuple):
    """Contents of a drawing: rows, their coordinates, and what is shown of a run and a page."""

    layers: Layers
    places: Positions
    rows: Mapping[int, int]
    visits: Visits | None
    links: Links | None


def render_svg(diagram: Diagram, visits: Visits | None = None, links: Links | None = None) -> str:
    """Render the SVG document; of a run, what it did not reach is faint.

    Args:
        diagram: the workflow.
        visits: the counts of a run.
        links: addresses, for a drawing inside a page: it has neither a title nor `STYLE`.
    """
    flow = build_flow(diagram, visits)
    top = (_HEAD if links is None else _SMALL_HEAD) + (16 if flow.failing else 0)
    layers, places = _lay_out(flow, top)
    right = max((x + vertex.right for x, vertex in zip(places.x, layers.vertices, strict=True)), default=0.0)
    width, height = max(right + _MARGIN, 420.0), places.tops[-1] + places.heights[-1] + _MARGIN
    rows = {n: number for number, row in enumerate(layers.rows) for n in row}
    sheet = _Sheet(layers, places, rows, visits, links)
    render_head = _render_head if links is None else _open_part
    parts = [*render_head(diagram, flow, width, height), *_render_routes(sheet), *_render_boxes(sheet, flow)]
    return "".join([*parts, "</svg>\n"])


@lru_cache(_MAX_KEPT)
def _lay_out(flow: Flow, top: float) -> tuple[Layers, Positions]:
    """Lay a flow out; the steps of a run differ in what is faint, and seldom in the layout."""
    layers = build_layers(flow)
    return layers, place_vertices(layers, _MARGIN, top)


def _render_boxes(sheet: _Sheet, flow: Flow) -> Iterator[str]:
    """Render the boxes, and the arrows of a box to itself."""
    layers, places = sheet.layers, sheet.places
    centers = {vertex.box.name: n for n, vertex in enumerate(layers.vertices) if vertex.box is not None}
    for box in flow.boxes:
        n = centers[box.name]
        yield _render_box(box, places.x[n], places.tops[sheet.rows[n]], sheet)
    for arrow in layers.loops:
        n = centers[arrow.source]
        vertex, right = layers.vertices[n], places.x[n] + layers.vertices[n].left
        loop = _render_loop(arrow, right, places.tops[sheet.rows[n]], vertex.height, sheet.visits)
        yield from _link_way(arrow, loop, sheet.links)


def _render_head(diagram: Diagram, flow: Flow, width: float, height: float) -> Iterator[str]:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(diagram.label)}</title>'
    yield f'<style>{STYLE}</style><rect class="back" width="100%" height="100%"/>'
    yield f'<text class="head" x="{_MARGIN:.0f}" y="30">{escape(diagram.title or diagram.label)}</text>'
    yield f'<text class="sub" x="{_MARGIN:.0f}" y="48">{escape(diagram.label)}</text>'
    if flow.failing:
        yield from _render_failing(flow, 64)


def _open_part(diagram: Diagram, flow: Flow, width: float, height: float) -> Iterator[str]:
    """Open a drawing whose parts are links of a page."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="group" aria-label="{escape(diagram.label)}">'
    if flow.failing:
        yield from _render_failing(flow, 16)


def _render_failing(flow: Flow, y: float) -> Iterator[str]:
    yield _render_badge(_MARGIN + 7, y)
    yield f'<text class="sub" x="{_MARGIN + 20:.0f}" y="{y + 4:.0f}">fails → {escape(flow.failing)}</text>'


def _render_badge(x: float, y: float, sign: str = "↷", kind: str = "badge") -> str:
    """Render a mark: a quiet one for the common way after a failure, a red one after a failure."""
    return (
        f'<g class="{kind}"><circle cx="{x:.0f}" cy="{y:.0f}" r="5.5"/>'
        f'<text x="{x:.0f}" y="{y + 3:.1f}" text-anchor="middle">{sign}</text></g>'
    )


def _render_routes(sheet: _Sheet) -> Iterator[str]:
    for route, port in zip(sheet.layers.routes, sheet.places.ports, strict=True):
        yield from _link_way(route.arrow, _render_route(route, port, sheet), sheet.links)


def _link_way(arrow: Arrow, parts: Iterator[str], links: Links | None) -> Iterator[str]:
    """Make a link of an arrow and its labels."""
    if links is None or arrow.source == ":start":
        yield from parts
        return
    target = END if arrow.target == f"{arrow.source}:end" else arrow.target
    chosen = ' class="chosen"' if links.chosen_way == (arrow.source, target) else ""
    told = f"{arrow.source} to {target}: {' '.join(arrow.labels) or 'always'}"
    yield f'<a href="{escape(links.way(arrow.source, target))}" data-swap aria-label="{escape(told)}"{chosen}>'
    yield from parts
    yield "</a>"


def _render_route(route: Route, port: Ports, sheet: _Sheet) -> Iterator[str]:
    """Render a route as a curve that is vertical in every row."""
    layers, places, rows = sheet.layers, sheet.places, sheet.rows
    upper, *between, lower = route.vertices
    x = places.x[upper] + port.upper
    start = (x, places.tops[rows[upper]] + layers.vertices[upper].height)
    points = [start, *((places.x[n], places.tops[rows[n]]) for n in between)]
    end = (places.x[lower] + port.lower, places.tops[rows[lower]])
    path, y = [f"M{x:.1f} {start[1] + (_TIP if route.is_up else 0):.1f}"], start[1]
    for n, (to, top) in zip(between, points[1:], strict=True):
        bottom = top + places.heights[rows[n]]
        path.append(f"{_curve(x, y, to, top)}V{bottom:.1f}")
        x, y = to, bottom
    path.append(_curve(x, y, end[0], end[1] - (0 if route.is_up else _TIP)))
    kind = _classify(route.arrow, sheet.visits)
    if sheet.links is not None:  # a line is too thin to click on
        yield f'<path class="grip" d="{"".join(path)}"/>'
    yield f'<path class="way {kind}" d="{"".join(path)}"/>'
    tip, into = (start, _TIP) if route.is_up else (end, -_TIP)
    yield f'<path class="tip {kind}" d="M{tip[0]:.1f} {tip[1]:.1f}l-4 {into:.0f}h8z"/>'
    label = route.vertices[route.label]
    yield from _render_labels(route.arrow, places.x[label] + 6, places.tops[rows[label]], sheet.visits)


def _curve(x: float, y: float, to: float, bottom: float) -> str:
    """Draw a curve that begins and ends vertically; a line where it can be straight."""
    if abs(x - to) < _STRAIGHT:
        return f"V{bottom:.1f}"
    middle = (y + bottom) / 2
    return f"C{x:.1f} {middle:.1f} {to:.1f} {middle:.1f} {to:.1f} {bottom:.1f}"


def _classify(arrow: Arrow, visits: Visits | None) -> str:
    return arrow.kind if visits is None else f"{arrow.kind} {'walked' if count_visits(arrow, visits) else 'faint'}"


def _render_labels(arrow: Arrow, x: float, top: float, visits: Visits | None) -> Iterator[str]:
    kind = "label" if visits is None or count_visits(arrow, visits) else "label faint"
    for number, label in enumerate(arrow.labels):
        yield _render_line(kind, x, top + LABEL_HEIGHT * number + 11, label)


def _render_loop(arrow: Arrow, right: float, top: float, height: float, visits: Visits | None) -> Iterator[str]:
    """Render the arrow of a box to itself, at its right side."""
    low, high = top + height * 0.75, top + height * 0.25
    kind = _classify(arrow, visits)
    yield f'<path class="way {kind}" d="M{right:.1f} {low:.1f}h8c14 0 14 {high - low:.1f} 0 {high - low:.1f}h-1"/>'
    yield f'<path class="tip {kind}" d="M{right:.1f} {high:.1f}l{_TIP:.0f} -4v8z"/>'
    middle = (low + high) / 2 - LABEL_HEIGHT * len(arrow.labels) / 2
    yield from _render_labels(arrow, right + 24, middle, visits)


def _render_box(box: Box, x: float, y: float, sheet: _Sheet) -> str:
    node, visits, links = box.node, sheet.visits, sheet.links
    if node is None:
        return _render_dot(box, x, y + box.height / 2, visits)
    left = x - box.width / 2
    place = f'x="{left:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{_RADII[node.kind]:.0f}"'
    classes = f"{node.kind} bad" if node.problem_codes else node.kind
    if visits is not None:
        classes += " current" if node.name == visits.current else "" if node.name in visits.phases else " faint"
    parts = [
        f'<g id="phase-{escape(node.name)}" class="{classes}"><title>{escape(_describe(node))}</title>',
        f'<rect class="box" {place}/>',
        _render_line("name", left + PADDING, y + _BASE, node.name),
        _render_line('tags" text-anchor="end', left + box.width - PADDING, y + _BASE, format_tags(node)),
    ]
    parts += [
        _render_line(kind, left + PADDING, y + _BASE + LINE_HEIGHT * row, text)
        for row, (kind, text) in enumerate(box.lines, 1)
    ]
    if visits is not None and node.name in visits.failed:
        parts.append(_render_badge(left + box.width, y, "!", "badge failed"))
    elif box.fails:
        parts.append(_render_badge(left + box.width, y))
    return _link_box(node, "".join([*parts, "</g>"]), visits, links)


def _link_box(node: DiagramNode, whole: str, visits: Visits | None, links: Links | None) -> str:
    """Make a link of a phase, where there is an address."""
    if links is not None:
        told = f"{node.name}: {node.title} ({format_tags(node)})"
        chosen = ' class="chosen"' if node.name == links.chosen_phase else ""
        return f'<a href="{escape(links.phase(node.name))}" data-swap aria-label="{escape(told)}"{chosen}>{whole}</a>'
    link = visits.links.get(node.name) if visits is not None else None
    return f'<a href="{escape(link)}">{whole}</a>' if link else whole


def _render_dot(box: Box, x: float, y: float, visits: Visits | None) -> str:
    """Render the dot of the start, or that of an end, which has a ring."""
    radius, is_start = box.height / 2, box.name == ":start"
    is_faint = visits is not None and not is_start and (box.name.partition(":")[0], END) not in visits.ways
    dot = f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius if is_start else radius - 4:.1f}"/>'
    ring = "" if is_start else f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius - 1:.1f}"/>'
    group = '<g class="faint">' if is_faint else "<g>"
    return f"{group}<title>{'start' if is_start else 'end'}</title>{dot}{ring}</g>"


def _render_line(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _describe(node: DiagramNode) -> str:
    """Describe a phase in the lines of its tooltip."""
    return "\n".join([f"{node.name}: {node.title}", *node.facts, *(edge.label for edge in node.edges)])
