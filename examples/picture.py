"""Draw SOAR as one row of phases for the README; `make picture` writes `docs/generated/soar.svg`.

`aur workflow graph` draws a workflow from the top. This picture is one row, with fewer details.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from aurora.interpreter import Catalog
from aurora.interpreter.diagram import build_diagram

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.diagram import DiagramNode

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "generated" / "soar.svg"

BOX_WIDTH, BOX_HEIGHT, GAP = 96, 46, 14
TOP = 62
STYLE = """
svg{color-scheme:light dark}text{font:13px system-ui,sans-serif;fill:#1f2430;text-anchor:middle}
.note{font-size:11px;fill:#5b6475}.box{fill:#eef2fb;stroke:#5b6b8c;stroke-width:1.5}.asks{fill:#fff3d6;stroke:#b26a00}
.way{fill:none;stroke:#3b6fb6;stroke-width:1.5}.tip{fill:#3b6fb6}
@media(prefers-color-scheme:dark){text{fill:#e4e8f1}.note{fill:#a6afc2}.box{fill:#222733;stroke:#8fa3cc}
.asks{fill:#3a3120;stroke:#f0a94a}.way{stroke:#7fb0f5}.tip{fill:#7fb0f5}}
"""


class Arc(NamedTuple):
    """Transition that leads back, to the same phase or an earlier one.

    It has positions in the row, and a label.
    """

    start: int
    end: int
    label: str


LABELS = {
    ("retrieve", "end"): "a SIMPLE question is answered here, after two calls",
    ("verify", "decompose"): "retry, at most twice",
    ("collect", "collect"): "until every task is done",
    ("record", "synthesize"): "correct it, once",
}
"""Texts at the transitions that do not lead to the next phase; one without a text fails."""


def draw() -> str:
    """Return the SVG."""
    definition = Catalog(None).load("soar")
    nodes = build_diagram(definition, ()).nodes
    places = {node.name: place for place, node in enumerate(nodes)}
    width = len(nodes) * (BOX_WIDTH + GAP) + GAP
    parts = [_draw_box(place, node.name, asks=_has_prompt(definition, node.name)) for place, node in enumerate(nodes)]
    parts += [_draw_step(place) for place in range(len(nodes) - 1)]
    for start, end in sorted(_list_side_transitions(nodes, places)):
        label = LABELS[start, end]
        if end in places:
            parts.append(_draw_arc(Arc(places[start], places[end], label)))
        else:
            parts.append(_draw_exit(places[start], label))
    legend = "blue: Aurora runs a tool · yellow: your assistant's own model reasons"
    parts.append(f'<text class="note" x="{width / 2:g}" y="{TOP + BOX_HEIGHT + 76}">{legend}</text>')
    height = TOP + BOX_HEIGHT + 92
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    title = "The nine phases of SOAR"
    return f'{head} role="img"><title>{title}</title><style>{STYLE}</style>{"".join(parts)}</svg>\n'


def _list_side_transitions(nodes: Sequence[DiagramNode], places: Mapping[str, int]) -> set[tuple[str, str]]:
    """List the transitions that lead back, and those that end the run before the last phase."""
    found = set()
    for node in nodes[:-1]:
        for edge in node.edges:
            if edge.kind != "then" or edge.target is None:
                continue
            if edge.target not in places or places[edge.target] <= places[node.name]:
                found.add((node.name, edge.target))
    return found


def _has_prompt(definition: Definition, phase: str) -> bool:
    return definition.workflow.phases[phase].prompt_template is not None


def _get_left(place: int) -> int:
    return GAP + place * (BOX_WIDTH + GAP)


def _draw_box(place: int, name: str, *, asks: bool) -> str:
    left = _get_left(place)
    kind = "box asks" if asks else "box"
    return (
        f'<rect class="{kind}" x="{left}" y="{TOP}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>'
        f'<text x="{left + BOX_WIDTH / 2:g}" y="{TOP + 20}">{escape(name)}</text>'
        f'<text class="note" x="{left + BOX_WIDTH / 2:g}" y="{TOP + 37}">phase {place + 1}</text>'
    )


def _draw_step(place: int) -> str:
    right, middle = _get_left(place) + BOX_WIDTH, TOP + BOX_HEIGHT / 2
    return (
        f'<path class="way" d="M{right} {middle:g}h{GAP - 5}"/>'
        f'<path class="tip" d="M{right + GAP} {middle:g}l-6 -4v8z"/>'
    )


def _draw_arc(arc: Arc) -> str:
    """Draw a transition back as an arc below the row."""
    begin, end = (_get_left(place) + BOX_WIDTH / 2 for place in (arc.start, arc.end))
    begin, end = begin + 18, end - 18
    edge, bend = TOP + BOX_HEIGHT, TOP + BOX_HEIGHT + 44
    return (
        f'<path class="way" d="M{begin:g} {edge}C{begin:g} {bend} {end:g} {bend} {end:g} {edge}"/>'
        f'<path class="tip" d="M{end:g} {edge}l-4 7h8z"/>'
        f'<text class="note" x="{(begin + end) / 2:g}" y="{bend + 2}">{escape(arc.label)}</text>'
    )


def _draw_exit(place: int, label: str) -> str:
    """Draw the end of a run as an arrow above the row."""
    middle = _get_left(place) + BOX_WIDTH / 2
    return (
        f'<path class="way" d="M{middle:g} {TOP}v-22"/><path class="tip" d="M{middle:g} {TOP - 28}l-4 7h8z"/>'
        f'<text class="note" x="{middle:g}" y="{TOP - 36}">{escape(label)}</text>'
    )


def main() -> int:
    """Write the picture, or with `--check` report whether the written one is current."""
    text = draw()
    if "--check" in sys.argv:
        current = TARGET.read_text(encoding="utf-8") == text
        print("current" if current else f"{TARGET.name} is out of date: run `make picture`")
        return 0 if current else 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
