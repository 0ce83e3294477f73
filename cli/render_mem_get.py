"""Whole texts, each under its own heading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the texts in the order asked."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for number, chunk in enumerate(output["chunks"]):
        if number:
            console.print()
        place = f"{chunk['path']}:{chunk['lines']}" if chunk.get("path") else chunk.get("type", "")
        parts = [place, chunk.get("symbol", ""), chunk.get("id", "")]
        head = Text(plain("  ".join(part for part in parts if part)), style="bold cyan")
        if chunk.get("stale"):
            head.append("  changed since it was indexed", style="yellow")
        console.print(head, soft_wrap=True)
        console.print(Text(plain(chunk["text"])), soft_wrap=True)
    if output.get("note"):
        console.print(_next(output), style="yellow", soft_wrap=True)


def _next(output: Mapping[str, Any]) -> str:
    """What to type for the rest."""
    words = ["aur mem get", *output.get("remaining", ())]
    if output.get("next_offset") is not None:
        words.append(f"--offset {output['next_offset']}")
    if not output.get("remaining"):
        return f"cut; --offset {output['next_offset']} shows the rest"
    return f"cut; for the rest: {' '.join(words)}"
