"""Links of the code graph, one a line, each with the line of code that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_CERTAIN = 0.995


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show one page of links."""
    links = output["links"]
    console.print(
        strip_controls(f"{output['id']}: {len(links)} of {output['total']} links"), style="dim", soft_wrap=True
    )
    for link in links:
        print_link(link, console)
    if output.get("next_offset") is not None:
        console.print(f"more: --offset {output['next_offset']}", style="dim")
    if output.get("note"):
        console.print(strip_controls(output["note"]), style="yellow", soft_wrap=True)


def print_link(link: Mapping[str, Any], console: Console) -> None:
    """One link: its kind, which way it points, the other end; below it where it is written."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    arrow = "→" if link["direction"] == "out" else "←"
    line = Text(f"{arrow} {link['kind']} ")
    line.append(strip_controls(link["id"]), style="bold cyan")
    sure = "" if link["confidence"] >= _CERTAIN else f" {link['confidence']:.2f}"
    line.append(strip_controls(f"  ({link['how']}{sure})"), style="dim")
    if link.get("steps", 1) > 1:
        line.append(f"  {link['steps']} steps away", style="dim")
    console.print(line, soft_wrap=True)
    console.print(Text(strip_controls(f"    {link['at']}  {link.get('code', '')}").rstrip()), soft_wrap=True)
