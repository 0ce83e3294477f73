"""Whole texts, each under its own heading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

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
        head = Text(strip_controls("  ".join(part for part in parts if part)), style="bold cyan")
        if chunk.get("stale"):
            head.append("  changed since it was indexed", style="yellow")
        console.print(head, soft_wrap=True)
        console.print(Text(strip_controls(chunk["text"])), soft_wrap=True)
    for line in filter(None, (_format_note(output), _format_continuation(output))):
        console.print(strip_controls(line), style="yellow", soft_wrap=True)


def _format_note(output: Mapping[str, Any]) -> str:
    """What the note says besides that it is cut."""
    return str(output.get("note", "")).partition("Cut;")[0].strip()


def _format_continuation(output: Mapping[str, Any]) -> str:
    """What to type for the rest, if there is one."""
    left, offset = output.get("remaining", ()), output.get("next_offset")
    if not left:
        return f"cut; --offset {offset} shows the rest" if offset is not None else ""
    words = ["aur mem get", *left]
    if offset is not None:
        words.append(f"--offset {offset}")
    return f"cut; for the rest: {' '.join(words)}"
