"""Graphviz renderer of a diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.language import END

if TYPE_CHECKING:
    from .layout import Diagram


def render_dot(shown: Diagram) -> str:
    """Render the diagram in the language of Graphviz."""
    lines = [
        f"digraph {_quote_text(shown.label)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
        '  ":start" [shape=circle, label="start"];',
        '  ":end" [shape=doublecircle, label="end"];',
        f'  ":start" -> {_quote_text(shown.start)};',
    ]
    for box in shown.nodes:
        words = [box.name, box.title, *box.facts, f"✗ {box.problem_codes}" if box.problem_codes else ""]
        red = ', color="#c62828", penwidth=3' if box.problem_codes else ""
        lines.append(
            f"  {_quote_text(box.name)} [label={_quote_text(chr(10).join(one for one in words if one))}{red}];"
        )
    for box in shown.nodes:
        for way in box.edges:
            if way.target is not None:
                target = ":end" if way.target == END else way.target
                dashed = ", style=dashed" if way.kind == "on_error" else ""
                lines.append(
                    f"  {_quote_text(box.name)} -> {_quote_text(target)} [label={_quote_text(way.label)}{dashed}];"
                )
    return "\n".join([*lines, "}"]) + "\n"


def _quote_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
