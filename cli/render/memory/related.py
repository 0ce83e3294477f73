"""The chunks that have to do with one chunk, each with its reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the chunks, the closest first."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for one in output["related"]:
        line = Text(f"{one['score']:5.2f}  ", style="dim")
        line.append(strip_controls(f"{one['path']}:{one['lines']}"), style="bold cyan")
        line.append(strip_controls(f"  {one.get('symbol', '')}  {one['chunk']}"), style="not dim")
        console.print(line, soft_wrap=True)
        for reason in one["why"]:
            console.print(Text(strip_controls(f"       {reason}")), soft_wrap=True)
    if output.get("note"):
        console.print(strip_controls(output["note"]), style="yellow", soft_wrap=True)
