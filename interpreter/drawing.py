"""Drawing of a workflow as SVG: a column of phases, and lanes beside it for jumps and ways back.

The order is that of the diagram, in which rules lead down where they can, so no place is searched for: a way to the
next phase is a line between two boxes, and any other one runs in a lane beside the column. The ways to one phase share
a lane. A label stands where its way leaves the box, so that it covers nothing. The same workflow gives the same bytes.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.language.model import END

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.problems import Problem

    from .diagram import Diagram, DiagramEdge, DiagramNode

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
_PAGE_STYLE = """
:root{color-scheme:light dark}body{margin:0;display:flex;font:14px system-ui,sans-serif}
aside{flex:0 0 24em;padding:1em;overflow-wrap:anywhere}main{flex:1;overflow:auto}
main svg{max-width:100%;max-height:100vh;width:auto;height:auto}
:target .box{stroke-width:4}li{margin:.3em 0}code{font-size:12px}
"""
_MARGIN, _PADDING, _DOT, _TIP = 24.0, 10.0, 8.0, 7.0
_LINE, _LABEL, _LANE, _CORNER = 17.0, 14.0, 13.0, 6.0
"""Height of a line in a box, that of a line of a label, distance of two lanes, and radius of a way's corners."""
_LEAST_WIDTH, _LEAST_ROOM = 180.0, 30.0
"""Of a box; of the room for labels between the column and its lanes."""
_TITLE_CHARS, _LABEL_CHARS, _MAX_LABELS = 38, 28, 4
_LARGE, _MAX_SPAN, _MAX_WAYS = 60, 25, 500
"""Of more than 60 phases, a way across more than 25 rows is named in its box; so is each beyond 500."""
_RADII = {"phase": 6.0, "decision": 0.0, "person": 18.0, "workflow": 6.0}


class Visits(NamedTuple):
    """Counts of a run, to be marked in a drawing.

    Attributes:
        phases: how often each phase ran.
        ways: how often the run went from one phase to another, or to `end`.
        links: the address of a phase's last step in the same page.
        current: the phase at which the run stands; empty after its end.
        failed: the phases that failed in it.
    """

    phases: Mapping[str, int]
    ways: Mapping[tuple[str, str], int]
    links: Mapping[str, str]
    current: str
    failed: Collection[str] = ()


class Links(NamedTuple):
    """Addresses of a drawing that is part of a page, and the part that is chosen.

    Attributes:
        phase: returns the address of a phase.
        way: returns the address of the rules from a phase to another one, or to `end`.
        chosen_phase: the phase to mark; empty for none.
        chosen_way: the way to mark; None for none.
    """

    phase: Callable[[str], str]
    way: Callable[[str, str], str]
    chosen_phase: str = ""
    chosen_way: tuple[str, str] | None = None


def render_svg(diagram: Diagram, visits: Visits | None = None, links: Links | None = None) -> str:
    """Render the SVG document; of a run, what it did not reach is faint.

    Args:
        diagram: the workflow.
        visits: the counts of a run.
        links: addresses, for a drawing inside a page: it has neither a title nor `STYLE`.
    """
    sheet = _lay_out(diagram, visits, top=_MARGIN + 44 if links is None else 16.0)
    ways = sorted(sheet.list_ways(), key=lambda way: bool(way.count))  # a walked way lies above a faint one
    parts = [*_render_head(diagram, sheet, links), _render_dot("start", sheet.x, sheet.top)]
    for way in ways:
        parts += _link_way(way, _render_way(way, sheet, has_grip=links is not None), links)
    parts += [_render_box(box, sheet, visits, links) for box in sheet.boxes.values()]
    return "".join([*parts, "</svg>\n"])


def render_html(diagram: Diagram) -> str:
    """Render the HTML document."""
    phases = "".join(map(_render_phase, diagram.nodes))
    found = _render_findings(
        [*diagram.unplaced_problems, *(problem for node in diagram.nodes for problem in node.problems)]
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(diagram.label)}</title>'
        f"<style>{_PAGE_STYLE}</style></head><body><main>{render_svg(diagram)}</main><aside><h1>{escape(diagram.label)}</h1>"
        f"<h2>Findings</h2>{found}<h2>Phases</h2><ol>{phases}</ol></aside></body></html>\n"
    )


def _render_phase(node: DiagramNode) -> str:
    edges = "".join(f"<li><code>{escape(edge.label)}</code></li>" for edge in node.edges)
    link = f'<a href="#phase-{node.name}">{escape(node.name)}</a>'
    return f"<li>{link} {escape(node.title)}<ul>{edges}</ul></li>"


def _render_findings(problems: Sequence[Problem]) -> str:
    if not problems:
        return "<p>None.</p>"
    items = (f"<li><code>{escape(problem.heading)}</code> {escape(problem.help)}</li>" for problem in problems)
    return f"<ul>{''.join(items)}</ul>"


# Layout: the boxes, their ways, and the place of each.


@dataclass(eq=False, slots=True)
class _Way:
    """Rules of a phase that lead to one target, as one arrow.

    Attributes:
        source, target: the phases; `:start` and `end` are dots.
        kind: that of its first rule.
        labels: its lines of text.
        count: how often a run took it; None without a run.
        leaves: the height at which it leaves its box.
        lane: the number of its lane, from the column.
    """

    source: str
    target: str
    kind: str
    labels: list[str] = field(default_factory=list)
    count: int | None = None
    leaves: float = 0.0
    lane: int = 0

    @property
    def classes(self) -> str:
        return self.kind if self.count is None else f"{self.kind} {'walked' if self.count else 'faint'}"

    @property
    def port(self) -> float:
        """The height that it needs at the side of its box."""
        return max(26.0 if self.source == self.target else 14.0, _LABEL * len(self.labels) + 7)

    @property
    def text_width(self) -> float:
        return max((_measure_text(label, 11) + 14 for label in self.labels), default=_LEAST_ROOM)


@dataclass(eq=False, slots=True)
class _Box:
    """Box of a phase, and its ways by the side at which they leave.

    Attributes:
        node: the phase.
        lines: texts below its name, each with its class.
        fails: True when a marker shows that it has the common way after a failure.
        below: the way to the next box.
        left, right: the other ways.
        enters: the height at which ways in lanes enter, by side.
    """

    node: DiagramNode
    lines: list[tuple[str, str]]
    fails: bool
    below: _Way | None = None
    left: list[_Way] = field(default_factory=list)
    right: list[_Way] = field(default_factory=list)
    enters: dict[str, float] = field(default_factory=dict)
    top: float = 0.0
    height: float = 0.0

    @property
    def width(self) -> float:
        head = _measure_text(self.node.name, 14) + 20 + _measure_text(_format_tags(self.node), 11)
        return max([head, *(_measure_text(text, 12) for _, text in self.lines)]) + 2 * _PADDING


@dataclass(eq=False, slots=True)
class _Sheet:
    """Boxes by name in their order, and the sizes of the drawing; `x` is the middle of the column."""

    boxes: dict[str, _Box]
    first: _Way
    failing: str
    top: float
    box_width: float = _LEAST_WIDTH
    x: float = 0.0
    edges: dict[str, float] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0

    def list_ways(self) -> list[_Way]:
        """List all ways, that to the first phase included."""
        some = (([box.below] if box.below else []) + box.left + box.right for box in self.boxes.values())
        return [*([self.first] if self.first.target in self.boxes else []), *(way for ways in some for way in ways)]


def _lay_out(diagram: Diagram, visits: Visits | None, top: float) -> _Sheet:
    """Place the boxes below each other, and each way that is not to the next box in a lane beside them."""
    failing = _find_common_failure(diagram)
    first = _Way(":start", diagram.start, "then", count=None if visits is None else bool(visits.phases))
    sheet = _Sheet(_build_boxes(diagram, visits, failing), first, failing, top + (16 if failing else 0))
    sheet.box_width = max([_LEAST_WIDTH, *(box.width for box in sheet.boxes.values())])
    # The lanes come before the places: the ends of the ways at a box are
    # sorted by their lanes, and their number decides how high the box is.
    lanes = {side: _assign_lanes(sheet, side) for side in ("left", "right")}
    y = sheet.top + 2 * _DOT + 18
    for box in sheet.boxes.values():
        box.top = y
        _place_ports(box)
        y += box.height + _measure_gap(box.below) + (2 * _DOT if box.below and box.below.target == END else 0)
    room = {side: _measure_room(sheet, side) for side in lanes}
    left = _MARGIN + room["left"] + lanes["left"] * _LANE
    sheet.x = left + sheet.box_width / 2
    sheet.edges = {"left": left - room["left"], "right": left + sheet.box_width + room["right"]}
    head = _measure_text(diagram.title or diagram.label, 16) + 2 * _MARGIN
    sheet.width = max(sheet.edges["right"] + lanes["right"] * _LANE + _MARGIN, head, 420.0)
    sheet.height = y + _MARGIN / 2
    return sheet


def _find_common_failure(diagram: Diagram) -> str:
    """Find the target of most failures, when two phases or more have it."""
    targets = [edge.target for node in diagram.nodes for edge in node.edges if edge.kind == "on_error" and edge.target]
    # Sorted, because the order of a set of texts differs from
    # process to process, and the same workflow gives the same bytes.
    most = max(sorted(set(targets)), key=targets.count, default="")
    return most if targets.count(most) > 1 else ""


def _build_boxes(diagram: Diagram, visits: Visits | None, failing: str) -> dict[str, _Box]:
    rows = {node.name: row for row, node in enumerate(diagram.nodes)}
    boxes: dict[str, _Box] = {}
    room = _MAX_WAYS
    for row, node in enumerate(diagram.nodes):
        drawn: list[DiagramEdge] = []
        named: list[DiagramEdge] = []
        fails = False
        for edge in node.edges:
            span = abs(rows.get(str(edge.target), row) - row)
            if edge.kind == "on_error" and edge.target == failing:
                fails = True
            elif len(drawn) < room and _can_draw(edge, rows) and not (len(rows) > _LARGE and span > _MAX_SPAN):
                drawn.append(edge)
            else:
                named.append(edge)
        room -= len(drawn)
        box = boxes[node.name] = _Box(node, _list_lines(node, named), fails)
        following = next(iter(diagram.nodes[row + 1 : row + 2]), None)
        for way in _merge_edges(drawn, visits):
            _attach_way(way, box, rows, following.name if following else END)
    return boxes


def _can_draw(edge: DiagramEdge, rows: Mapping[str, int]) -> bool:
    return edge.target == END or edge.target in rows


def _list_lines(node: DiagramNode, named: Sequence[DiagramEdge]) -> list[tuple[str, str]]:
    lines = [("title", line) for line in wrap(node.title, _TITLE_CHARS, max_lines=2, placeholder=" …")]
    lines += [
        ("jump" if edge.target else "mark", f"→ {edge.target or edge.label.rpartition('→ ')[2]}") for edge in named
    ]
    return lines + ([("mark", node.mark)] if node.mark else [])


def _merge_edges(edges: Sequence[DiagramEdge], visits: Visits | None) -> Iterator[_Way]:
    """Merge the edges to one target, of which each condition is a label."""
    merged: dict[tuple[str, bool], list[DiagramEdge]] = {}
    for edge in edges:
        merged.setdefault((str(edge.target), edge.kind == "on_error"), []).append(edge)
    is_only = sum(not fails for _, fails in merged) == 1
    for (target, _), some in merged.items():
        source, kind = some[0].source, "then" if any(edge.kind == "then" for edge in some) else some[0].kind
        labels = _list_labels(some, is_only=is_only)
        count = None if visits is None else visits.ways.get((source, target), 0)
        yield _Way(source, target, kind, labels + ([f"{count} times"] if count and count > 1 else []), count)


def _list_labels(edges: Sequence[DiagramEdge], *, is_only: bool) -> list[str]:
    """List the conditions of a way; one without a condition says so only beside others."""
    if any(edge.kind == "then" and not edge.short for edge in edges):
        # The only way out needs no word; beside others, a way without
        # one would look like a condition that was forgotten.
        return [] if is_only else ["otherwise"]
    shorts = dict.fromkeys(edge.short for edge in edges)
    labels = [line for short in shorts for line in wrap(short, _LABEL_CHARS, max_lines=2, placeholder=" …")]
    return labels if len(labels) <= _MAX_LABELS else [*labels[:_MAX_LABELS], "…"]  # the tooltip of the phase has all


def _attach_way(way: _Way, box: _Box, rows: Mapping[str, int], following: str) -> None:
    """Attach a way to its box: below to the next one, left if it leads back, else right."""
    if way.target == following and way.kind != "on_error" and box.below is None:
        box.below = way
    elif way.target != END and rows[way.target] < rows[way.source]:
        box.left.append(way)
    else:
        box.right.append(way)


def _assign_lanes(sheet: _Sheet, side: str) -> int:
    """Give all ways of a side to one phase a free lane, short ones first; count the lanes."""
    rows = {name: row for row, name in enumerate(sheet.boxes)}
    groups: dict[str, list[_Way]] = {}
    for way in _list_side(sheet, side):
        if way.target not in {END, way.source}:
            groups.setdefault(way.target, []).append(way)
    spans = []
    for target, ways in groups.items():
        touched = sorted([rows[target], *(rows[way.source] for way in ways)])
        spans.append((touched[-1] - touched[0], touched[0], touched[-1], target))
    lanes: list[list[tuple[int, int]]] = []
    # The first lane is next to the column: a short way in it is
    # passed outside by the long ones, instead of crossing them.
    for _, begin, end, target in sorted(spans):
        lane = _find_lane(lanes, begin, end)
        lanes[lane].append((begin, end))
        sheet.boxes[target].enters[side] = 0.0
        for way in groups[target]:
            way.lane = lane
    return len(lanes)


def _list_side(sheet: _Sheet, side: str) -> list[_Way]:
    return [way for box in sheet.boxes.values() for way in (box.left if side == "left" else box.right)]


def _find_lane(lanes: list[list[tuple[int, int]]], begin: int, end: int) -> int:
    """Find the first lane that is free from one row to another, or add one; lanes may meet at a box."""
    for number, taken in enumerate(lanes):
        if all(end <= one or begin >= other for one, other in taken):
            return number
    lanes.append([])
    return len(lanes) - 1


def _place_ports(box: _Box) -> None:
    """Place the ends of the ways at the sides of a box, so that none crosses another there."""
    name = box.node.name
    box.right.sort(key=lambda way: (way.target != name, way.target != END, -way.lane))
    box.left.sort(key=lambda way: way.lane)
    enters = {side: 14.0 if side in box.enters else 0.0 for side in ("left", "right")}
    sides = {side: sum(way.port for way in getattr(box, side)) + enters[side] for side in enters}
    box.height = max(_PADDING * 1.4 + _LINE * (1 + len(box.lines)), *(size + 8 for size in sides.values()))
    for side, size in sides.items():
        y = box.top + (box.height - size) / 2
        if side == "right" and enters[side]:  # a jump comes from above, a way back from below
            y += enters[side]
            box.enters[side] = y - 7
        for way in getattr(box, side):
            y += way.port
            way.leaves = y - 4
        if side == "left" and enters[side]:
            box.enters[side] = y + 7


def _measure_gap(below: _Way | None) -> float:
    return 14.0 if below is None else max(26.0, _LABEL * len(below.labels) + 18)


def _measure_room(sheet: _Sheet, side: str) -> float:
    """Measure the room that the labels of a side need between the column and the lanes."""
    ways = _list_side(sheet, side)
    more = {way: 3 * _DOT if way.target == END else 18 if way.target == way.source else 0 for way in ways}
    return max([way.text_width + more[way] for way in ways], default=0.0)


def _measure_text(text: str, size: float) -> float:
    """Return about the width of a text: rather too much, since the reader's fonts are not known."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return size * (0.58 * len(text) + 0.5 * wide)


def _format_tags(node: DiagramNode) -> str:
    return " · ".join(node.tags)


# Text: each part of the sheet as SVG.


def _render_head(diagram: Diagram, sheet: _Sheet, links: Links | None) -> Iterator[str]:
    size = f'width="{sheet.width:.0f}" height="{sheet.height:.0f}" viewBox="0 0 {sheet.width:.0f} {sheet.height:.0f}"'
    label, y = escape(diagram.label), 64.0 if links is None else 16.0
    if links is None:
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{label}</title><style>{STYLE}</style>'
        yield '<rect class="back" width="100%" height="100%"/>'
        yield _render_line("head", _MARGIN, 30, diagram.title or diagram.label)
        yield _render_line("sub", _MARGIN, 48, diagram.label)
    else:
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="group" aria-label="{label}">'
    if sheet.failing:
        yield _render_badge(_MARGIN + 7, y)
        yield _render_line("sub", _MARGIN + 20, y + 4, f"fails → {sheet.failing}")


def _link_way(way: _Way, parts: Iterable[str], links: Links | None) -> Iterator[str]:
    """Make a link of a way and its labels."""
    if links is None or way.source == ":start":
        yield from parts
        return
    chosen = ' class="chosen"' if links.chosen_way == (way.source, way.target) else ""
    told = f"{way.source} to {way.target}: {' '.join(way.labels) or 'always'}"
    yield f'<a href="{escape(links.way(way.source, way.target))}" data-swap aria-label="{escape(told)}"{chosen}>'
    yield from parts
    yield "</a>"


class _Line(NamedTuple):
    """Line of a way: its path, its tip, the first of its labels, and the dot of an end."""

    path: str
    tip: str
    x: float
    y: float
    is_left: bool = False
    dot: tuple[float, float] = (0.0, 0.0)


def _render_way(way: _Way, sheet: _Sheet, *, has_grip: bool) -> Iterator[str]:
    """Render a way: its line, its tip, the dot of an end, and its labels."""
    box = sheet.boxes.get(way.source)
    line = _draw_down(way, box, sheet) if box is None or box.below is way else _draw_aside(way, box, sheet)
    if has_grip:  # a line is too thin to click on
        yield f'<path class="grip" d="{line.path}"/>'
    yield f'<path class="way {way.classes}" d="{line.path}"/><path class="tip {way.classes}" d="{line.tip}"/>'
    if way.target == END:
        yield _render_dot("end", *line.dot, is_faint=way.count == 0)
    kind = "label faint" if way.count == 0 else "label"
    for number, text in enumerate(way.labels):
        yield _render_line(kind, line.x, line.y + _LABEL * number, text, at_end=line.is_left)


def _draw_down(way: _Way, box: _Box | None, sheet: _Sheet) -> _Line:
    """Draw a way to the next box, or from the dot of the start, or to that of the end."""
    begin = box.top + box.height if box else sheet.top + _DOT
    end = begin + _measure_gap(way) if way.target == END else sheet.boxes[way.target].top
    path, tip = f"M{sheet.x:.1f} {begin:.1f}V{end - _TIP:.1f}", f"M{sheet.x:.1f} {end:.1f}l-4 {-_TIP:.0f}h8z"
    middle = (begin + end - _TIP - _LABEL * len(way.labels)) / 2
    return _Line(path, tip, sheet.x + 9, middle + 11, dot=(sheet.x, end + _DOT))


def _draw_aside(way: _Way, box: _Box, sheet: _Sheet) -> _Line:
    """Draw a way to an end beside the box, to the box itself, or in a lane to another one."""
    is_left, y = way in box.left, way.leaves
    side, out = ("left", -1) if is_left else ("right", 1)
    edge = sheet.x + out * sheet.box_width / 2
    text = y - 5 - _LABEL * (len(way.labels) - 1)
    if way.target == way.source:
        tip = f"M{edge:.1f} {y - 16:.1f}l{_TIP:.0f} -4v8z"
        middle = y - 8 - _LABEL * len(way.labels) / 2 + 11
        return _Line(f"M{edge:.1f} {y:.1f}h8c14 0 14 -16 0 -16h-1", tip, edge + 26, middle)
    if way.target == END:
        x = edge + way.text_width
        tip = f"M{x:.1f} {y:.1f}l{-_TIP:.0f} -4v8z"
        return _Line(f"M{edge:.1f} {y:.1f}H{x - _TIP:.1f}", tip, edge + 7, text, dot=(x + _DOT, y))
    lane, to = sheet.edges[side] + out * (way.lane + 0.5) * _LANE, sheet.boxes[way.target].enters[side]
    down = _CORNER if to > y else -_CORNER
    path = (
        f"M{edge:.1f} {y:.1f}H{lane - out * _CORNER:.1f}Q{lane:.1f} {y:.1f} {lane:.1f} {y + down:.1f}V{to - down:.1f}"
        f"Q{lane:.1f} {to:.1f} {lane - out * _CORNER:.1f} {to:.1f}H{edge + out * _TIP:.1f}"
    )
    tip = f"M{edge:.1f} {to:.1f}l{out * _TIP:.0f} -4v8z"
    return _Line(path, tip, edge + out * 7, text, is_left)


def _render_box(box: _Box, sheet: _Sheet, visits: Visits | None, links: Links | None) -> str:
    node, left, base = box.node, sheet.x - sheet.box_width / 2, box.top + _PADDING * 0.7 + 13
    base += (box.height - _PADDING * 1.4 - _LINE * (1 + len(box.lines))) / 2  # ports may need more height than text
    right = left + sheet.box_width
    place = f'x="{left:.1f}" y="{box.top:.1f}" width="{sheet.box_width:.1f}" height="{box.height:.1f}"'
    classes = f"{node.kind} bad" if node.problem_codes else node.kind
    if visits is not None:
        classes += " current" if node.name == visits.current else "" if node.name in visits.phases else " faint"
    parts = [
        f'<g id="phase-{escape(node.name)}" class="{classes}"><title>{escape(_describe(node))}</title>',
        f'<rect class="box" {place} rx="{_RADII[node.kind]:.0f}"/>',
        _render_line("name", left + _PADDING, base, node.name),
        _render_line("tags", right - _PADDING, base, _format_tags(node), at_end=True),
    ]
    for row, (kind, text) in enumerate(box.lines, 1):
        parts.append(_render_line(kind, left + _PADDING, base + _LINE * row, text))
    if visits is not None and node.name in visits.failed:
        parts.append(_render_badge(right, box.top, "!", "badge failed"))
    elif box.fails:
        parts.append(_render_badge(right, box.top))
    return _link_box(node, "".join([*parts, "</g>"]), visits, links)


def _link_box(node: DiagramNode, whole: str, visits: Visits | None, links: Links | None) -> str:
    """Make a link of a phase, where there is an address."""
    if links is not None:
        told = f"{node.name}: {node.title} ({_format_tags(node)})"
        chosen = ' class="chosen"' if node.name == links.chosen_phase else ""
        return f'<a href="{escape(links.phase(node.name))}" data-swap aria-label="{escape(told)}"{chosen}>{whole}</a>'
    link = visits.links.get(node.name) if visits is not None else None
    return f'<a href="{escape(link)}">{whole}</a>' if link else whole


def _describe(node: DiagramNode) -> str:
    """Describe a phase in the lines of its tooltip."""
    return "\n".join([f"{node.name}: {node.title}", *node.facts, *(edge.label for edge in node.edges)])


def _render_badge(x: float, y: float, sign: str = "↷", kind: str = "badge") -> str:
    """Render a mark: a quiet one for the common way after a failure, a red one after a failure."""
    return (
        f'<g class="{kind}"><circle cx="{x:.0f}" cy="{y:.0f}" r="5.5"/>'
        f'<text x="{x:.0f}" y="{y + 3:.1f}" text-anchor="middle">{sign}</text></g>'
    )


def _render_dot(name: str, x: float, y: float, *, is_faint: bool = False) -> str:
    """Render the dot of the start, or that of an end, which has a ring."""
    ring = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{_DOT - 1:.1f}"/>' if name == END else ""
    dot = f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{_DOT - (4 if ring else 0):.1f}"/>'
    group = '<g class="faint">' if is_faint else "<g>"
    return f"{group}<title>{name}</title>{dot}{ring}</g>"


def _render_line(kind: str, x: float, y: float, text: str, *, at_end: bool = False) -> str:
    anchor = ' text-anchor="end"' if at_end else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{anchor}>{escape(text)}</text>'
