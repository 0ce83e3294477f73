"""Diagrams of a workflow: the layout, and a renderer for each format."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .dot import render_dot
    from .html import render_html
    from .links import Links
    from .mermaid import render_mermaid
    from .model import Diagram, build_diagram
    from .svg import STYLE, render_svg
    from .visits import Visits

__all__ = [
    "STYLE",
    "Diagram",
    "Links",
    "Visits",
    "build_diagram",
    "render_dot",
    "render_html",
    "render_mermaid",
    "render_svg",
]

__getattr__ = export_lazily(
    __name__,
    {
        "dot": ["render_dot"],
        "html": ["render_html"],
        "links": ["Links"],
        "model": ["Diagram", "build_diagram"],
        "mermaid": ["render_mermaid"],
        "svg": ["STYLE", "render_svg"],
        "visits": ["Visits"],
    },
)
