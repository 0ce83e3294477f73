"""SVG renderer: phases below each other, edges on lanes next to the boxes.

Edges forward run on the right, edges back and failures on the left. No line crosses a box, and no label overlaps
another, because each label is inside its phase.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.language import END

if TYPE_CHECKING:
    from .layout import Diagram, DiagramEdge, DiagramNode

_LINE_HEIGHT, _PADDING, _BOX_GAP, _LANE_WIDTH, _CHARACTER_WIDTH, _TIP_OFFSET = 18, 10, 34, 14, 7.4, 14
_STYLE = """
svg{color-scheme:light dark}text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2430}
.back{fill:#fff}.box{fill:#f4f6fb;stroke:#5b6b8c;stroke-width:1.5}.bad .box{stroke:#c62828;stroke-width:3}
.name{font-weight:bold}.mark{fill:#c62828;font-weight:bold}.fact{fill:#5b6475}
.way{fill:none;stroke:#3b6fb6;stroke-width:1.5}.else{stroke:#b26a00}.on_error{stroke:#c62828;stroke-dasharray:5 4}
.tip-then{fill:#3b6fb6}.tip-else{fill:#b26a00}.tip-on_error{fill:#c62828}
@media(prefers-color-scheme:dark){text{fill:#e4e8f1}.back{fill:#15181f}.box{fill:#222733;stroke:#8fa3cc}
.fact{fill:#a6afc2}.way{stroke:#7fb0f5}.else{stroke:#f0a94a}.on_error{stroke:#ff7b72}.mark{fill:#ff7b72}
.bad .box{stroke:#ff7b72}.tip-then{fill:#7fb0f5}.tip-else{fill:#f0a94a}.tip-on_error{fill:#ff7b72}}
"""


_RADII = {"phase": 6, "decision": 0, "person": 22, "workflow": 6}

_Span = tuple[float, float]
"""The lowest and highest coordinate of a line in a lane."""


class _EdgeLine(NamedTuple):
    """An edge with the heights at which it leaves and enters."""

    edge: DiagramEdge
    top: float
    bottom: float
    left: bool


def render_svg(diagram: Diagram) -> str:
    """Render the SVG document."""
    heights, at, total = _stack_boxes(diagram)
    lines = _route_edges(diagram, at)
    lanes = _assign_lanes(lines, left=True) | _assign_lanes(lines, left=False)
    wide = max(len(text) for box in diagram.nodes for text in (*_list_texts(box), *(edge.label for edge in box.edges)))
    width = max(wide * _CHARACTER_WIDTH + 2 * _PADDING, 200)
    x = 30 + _LANE_WIDTH * _count_lanes(lines, lanes, left=True)
    whole = x + width + 30 + _LANE_WIDTH * _count_lanes(lines, lanes, left=False)
    parts = [
        _render_head(diagram.label, whole, total),
        '<rect class="back" width="100%" height="100%"/>',
        f'<text class="name" x="{x:.0f}" y="24">{escape(f"{diagram.label}  {diagram.title}")}</text>',
    ]
    for index, line in enumerate(lines):
        lane = lanes[index]
        border, outside = (
            (x, x - 12 - _LANE_WIDTH * lane) if line.left else (x + width, x + width + 12 + _LANE_WIDTH * lane)
        )
        parts.append(_render_edge(line, border, outside))
    if diagram.start in at:  # the first box: the order begins with the start
        middle = x + width / 2
        parts.append(f'<path class="way then" d="M{middle:.0f} {at[":start"] + 28:.0f}V{at[diagram.start] - 7:.0f}"/>')
        parts.append(f'<path class="tip-then" d="M{middle:.0f} {at[diagram.start]:.0f}l-4 -7h8z"/>')
    parts.extend(_render_box(box, x, at[box.name], width, heights[box.name]) for box in diagram.nodes)
    for name, word in ((":start", "start"), (END, "end")):
        parts.append(
            f'<rect class="box" x="{x:.0f}" y="{at[name]:.0f}" width="{width:.0f}" height="28" rx="14"/>'
            f'<text class="name" x="{x + width / 2:.0f}" y="{at[name] + 18:.0f}" text-anchor="middle">{word}</text>'
        )
    return "".join([*parts, "</svg>\n"])


def _render_head(label: str, width: float, height: float) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        f"<title>{escape(label)}</title><style>{_STYLE}</style>"
    )


def _list_texts(box: DiagramNode) -> list[str]:
    return [f"{box.name}  {box.title}  ✗ {box.problem_codes}", *box.facts]


def _stack_boxes(diagram: Diagram) -> tuple[dict[str, float], dict[str, float], float]:
    """Compute the height and position of each box, and the total height."""
    heights = {box.name: 2 * _PADDING + _LINE_HEIGHT * (1 + len(box.facts) + len(box.edges)) for box in diagram.nodes}
    y = 40.0
    at = {":start": y}
    y += 28 + _BOX_GAP
    for box in diagram.nodes:
        at[box.name] = y
        y += heights[box.name] + _BOX_GAP
    at[END] = y
    return dict(heights), at, y + 28 + 20


def _route_edges(diagram: Diagram, at: dict[str, float]) -> list[_EdgeLine]:
    lines = []
    for box in diagram.nodes:
        for index, edge in enumerate(box.edges):
            if edge.target is None or edge.target not in at:
                continue
            out = at[box.name] + _PADDING + _LINE_HEIGHT * (1 + len(box.facts) + index) + _LINE_HEIGHT / 2
            left = edge.kind == "on_error" or (edge.target != END and at[edge.target] <= at[box.name])
            left = left and edge.target != END
            lines.append(_EdgeLine(edge, out, at[edge.target] + _TIP_OFFSET, left))
    return lines


def _assign_lanes(lines: list[_EdgeLine], *, left: bool) -> dict[int, int]:
    """Assign a lane to each line of a side, the short ones nearest; no two overlap."""
    taken: list[list[_Span]] = []
    lanes: dict[int, int] = {}
    side = [index for index, line in enumerate(lines) if line.left is left]
    for index in sorted(side, key=lambda number: (abs(lines[number].top - lines[number].bottom), number)):
        low, high = sorted((lines[index].top, lines[index].bottom))
        lane = _find_free_lane(taken, low, high)
        if lane == len(taken):
            taken.append([])
        taken[lane].append((low, high))
        lanes[index] = lane
    return lanes


def _find_free_lane(taken: list[list[_Span]], low: float, high: float) -> int:
    """Find the first lane without a span that overlaps, else the next new one."""
    for lane, spans in enumerate(taken):
        if all(high < start or end < low for start, end in spans):
            return lane
    return len(taken)


def _count_lanes(lines: list[_EdgeLine], lanes: dict[int, int], *, left: bool) -> int:
    return 1 + max((lanes[index] for index, line in enumerate(lines) if line.left is left), default=0)


def _render_edge(line: _EdgeLine, border: float, outside: float) -> str:
    kind, into = line.edge.kind, (-7 if line.left else 7)
    return (
        f'<path class="way {kind}" '
        f'd="M{border:.0f} {line.top:.0f}H{outside:.0f}V{line.bottom:.0f}H{border + into:.0f}"/>'
        f'<path class="tip-{kind}" d="M{border:.0f} {line.bottom:.0f}l{into} -4v8z"/>'
    )


def _render_box(box: DiagramNode, x: float, y: float, width: float, height: float) -> str:
    parts = [f'<g id="phase-{box.name}" class="{"bad" if box.problem_codes else "phase"}">']
    parts.append(
        f'<rect class="box" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="{_RADII[box.kind]}"/>'
    )
    texts = [("fact", fact) for fact in box.facts] + [("rule", edge.label) for edge in box.edges]
    mark = f'  <tspan class="mark">✗ {escape(box.problem_codes)}</tspan>' if box.problem_codes else ""
    left = x + _PADDING
    base = y + _PADDING + 13
    parts.append(
        f'<text x="{left:.0f}" y="{base:.0f}" xml:space="preserve"><tspan class="name">{escape(box.name)}</tspan>'
        f"  {escape(box.title)}{mark}</text>"
    )
    parts.extend(
        f'<text class="{kind}" x="{left:.0f}" y="{base + _LINE_HEIGHT * (row + 1):.0f}">{escape(text)}</text>'
        for row, (kind, text) in enumerate(texts)
    )
    return "".join([*parts, "</g>"])
