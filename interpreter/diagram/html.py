"""HTML renderer: a self-contained page with the drawing, the phases and the problems."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .svg import render_svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter.problems import Problem

    from .layout import Diagram

_STYLE = """
:root{color-scheme:light dark}body{margin:0;display:flex;font:14px system-ui,sans-serif}
aside{flex:0 0 24em;padding:1em;overflow-wrap:anywhere}main{flex:1;overflow:auto}
:target .box{stroke-width:4}li{margin:.3em 0}code{font-size:12px}
"""


def render_html(shown: Diagram) -> str:
    """Render the HTML document."""
    phases = "".join(
        f'<li><a href="#phase-{box.name}">{escape(box.name)}</a> {escape(box.title)}'
        f"<ul>{''.join(f'<li><code>{escape(way.label)}</code></li>' for way in box.edges)}</ul></li>"
        for box in shown.nodes
    )
    found = _render_findings([*shown.unplaced_problems, *(problem for box in shown.nodes for problem in box.problems)])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(shown.label)}</title>'
        f"<style>{_STYLE}</style></head><body><main>{render_svg(shown)}</main><aside><h1>{escape(shown.label)}</h1>"
        f"<h2>Findings</h2>{found}<h2>Phases</h2><ol>{phases}</ol></aside></body></html>\n"
    )


def _render_findings(problems: Sequence[Problem]) -> str:
    if not problems:
        return "<p>None.</p>"
    return f"<ul>{''.join(f'<li><code>{escape(one.heading)}</code> {escape(one.help)}</li>' for one in problems)}</ul>"
