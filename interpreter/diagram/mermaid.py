"""Mermaid renderer of a diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.language import END

if TYPE_CHECKING:
    from .model import Diagram

_EDGE_ARROWS = {"then": "-->", "else": "-->", "on_error": "-.->"}
_SHAPES = {"phase": ("[", "]"), "decision": ("{{", "}}"), "person": ("([", "])"), "workflow": ("[[", "]]")}
_PLAIN_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.,→·“”")


def render_mermaid(diagram: Diagram) -> str:
    """Render a flowchart; names get a prefix, because `end` is a word of Mermaid."""
    lines = ["flowchart TD", "  start((start))", "  finish((end))", f"  start --> p_{diagram.start}"]
    for node in diagram.nodes:
        words = [node.name, node.title, *node.facts, f"✗ {node.problem_codes}" if node.problem_codes else ""]
        opening, closing = _SHAPES[node.kind]
        label = "<br/>".join(_escape_text(one) for one in words if one)
        lines.append(f'  p_{node.name}{opening}"{label}"{closing}')
    for node in diagram.nodes:
        for edge in node.edges:
            if edge.target is not None:
                target = "finish" if edge.target == END else f"p_{edge.target}"
                lines.append(f'  p_{node.name} {_EDGE_ARROWS[edge.kind]}|"{_escape_text(edge.label)}"| {target}')
    marked = [f"p_{node.name}" for node in diagram.nodes if node.problem_codes]
    if marked:
        lines += ["  classDef problem stroke:#c62828,stroke-width:3px", f"  class {','.join(marked)} problem"]
    return "\n".join(lines) + "\n"


def _escape_text(text: str) -> str:
    """Escape each character that means something to Mermaid or HTML by its number."""
    return "".join(char if char in _PLAIN_CHARACTERS or char.isalpha() else f"#{ord(char)};" for char in text)
