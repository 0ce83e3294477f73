"""A picture as a Mermaid flowchart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.language.model import END

if TYPE_CHECKING:
    from .layout import Picture

_ARROWS = {"then": "-->", "else": "-->", "on_error": "-.->"}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.,→·“”")


def mermaid(shown: Picture) -> str:
    """The text of the flowchart; names get a prefix, for `end` and others are words of Mermaid."""
    lines = ["flowchart TD", "  start((start))", "  finish((end))", f"  start --> p_{shown.start}"]
    for box in shown.boxes:
        words = [box.name, box.title, *box.facts, f"✗ {box.mark}" if box.mark else ""]
        lines.append(f'  p_{box.name}["{"<br/>".join(_quoted(one) for one in words if one)}"]')
    for box in shown.boxes:
        for way in box.ways:
            if way.target is not None:
                target = "finish" if way.target == END else f"p_{way.target}"
                lines.append(f'  p_{box.name} {_ARROWS[way.kind]}|"{_quoted(way.label)}"| {target}')
    marked = [f"p_{box.name}" for box in shown.boxes if box.mark]
    if marked:
        lines += ["  classDef problem stroke:#c62828,stroke-width:3px", f"  class {','.join(marked)} problem"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Whatever could mean something to Mermaid or to HTML becomes a character's number."""
    return "".join(char if char in _PLAIN or char.isalpha() else f"#{ord(char)};" for char in text)
