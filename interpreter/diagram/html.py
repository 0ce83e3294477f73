"""HTML renderer: a self-contained page with the drawing, the phases and the problems."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .svg import render_svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.problems import Problem

    from .model import Diagram, DiagramNode

_STYLE = """
:root{color-scheme:light dark}body{margin:0;display:flex;font:14px system-ui,sans-serif}
aside{flex:0 0 24em;padding:1em;overflow-wrap:anywhere}main{flex:1;overflow:auto}
main svg{max-width:100%;max-height:100vh;width:auto;height:auto}
:target .box{stroke-width:4}li{margin:.3em 0}code{font-size:12px}
"""


def render_html(diagram: Diagram) -> str:
    """Render the HTML document."""
    phases = "".join(map(_render_phase, diagram.nodes))
    found = _render_findings(
        [*diagram.unplaced_problems, *(problem for node in diagram.nodes for problem in node.problems)]
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(diagram.label)}</title>'
        f"<style>{_STYLE}</style></head><body><main>{render_svg(diagram)}</main><aside><h1>{escape(diagram.label)}</h1>"
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
