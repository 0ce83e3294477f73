"""Graphviz renderer of a diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import show_hidden
from aurora.interpreter.language import END

if TYPE_CHECKING:
    from .model import Diagram


_SHAPES = {"phase": "", "decision": ", shape=hexagon", "person": ", shape=ellipse", "workflow": ", peripheries=2"}


def render_dot(diagram: Diagram) -> str:
    """Render the diagram in the language of Graphviz."""
    lines = [
        f"digraph {_quote_text(diagram.label)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
        '  ":start" [shape=circle, label="start"];',
        '  ":end" [shape=doublecircle, label="end"];',
        f'  ":start" -> {_quote_text(diagram.start)};',
    ]
    for node in diagram.nodes:
        words = [node.name, node.title, *node.facts, f"✗ {node.problem_codes}" if node.problem_codes else ""]
        red = ', color="#c62828", penwidth=3' if node.problem_codes else ""
        label = _quote_text(chr(10).join(one for one in words if one))
        lines.append(f"  {_quote_text(node.name)} [label={label}{_SHAPES[node.kind]}{red}];")
    for node in diagram.nodes:
        for edge in node.edges:
            if edge.target is not None:
                target = ":end" if edge.target == END else edge.target
                dashed = ", style=dashed" if edge.kind == "on_error" else ""
                lines.append(
                    f"  {_quote_text(node.name)} -> {_quote_text(target)} [label={_quote_text(edge.label)}{dashed}];"
                )
    return "\n".join([*lines, "}"]) + "\n"


def _quote_text(text: str) -> str:
    escaped = show_hidden(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
