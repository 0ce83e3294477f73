"""A picture in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.language.model import END

if TYPE_CHECKING:
    from .layout import Picture


def dot(shown: Picture) -> str:
    """The text for `dot`."""
    lines = [
        f"digraph {_quoted(shown.label)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
        '  ":start" [shape=circle, label="start"];',
        '  ":end" [shape=doublecircle, label="end"];',
        f'  ":start" -> {_quoted(shown.start)};',
    ]
    for box in shown.boxes:
        words = [box.name, box.title, *box.facts, f"✗ {box.mark}" if box.mark else ""]
        red = ', color="#c62828", penwidth=3' if box.mark else ""
        lines.append(f"  {_quoted(box.name)} [label={_quoted(chr(10).join(one for one in words if one))}{red}];")
    for box in shown.boxes:
        for way in box.ways:
            if way.target is not None:
                target = ":end" if way.target == END else way.target
                dashed = ", style=dashed" if way.kind == "on_error" else ""
                lines.append(f"  {_quoted(box.name)} -> {_quoted(target)} [label={_quoted(way.label)}{dashed}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
