"""Search hits: where, what, and the lines that show why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the hits, best first."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for number, hit in enumerate(output["hits"]):
        if number:
            console.print()
        where = f"{hit['path']}:{hit['lines'].partition('-')[0]}" if hit.get("path") else hit["type"]
        head = Text(plain(where), style="bold cyan")
        if hit.get("symbol"):
            head.append(f"  {plain(hit['symbol'])}", style="bold")
        head.append(f"  {hit['score']:.2f}", style="green")
        head.append(f"  {hit['id']}", style="dim")
        if hit.get("stale"):
            head.append("  changed since it was indexed", style="yellow")
        console.print(head, soft_wrap=True)
        if hit.get("parts"):
            why = "  ".join(f"{plain(name)} {value:.2f}" for name, value in hit["parts"].items())
            console.print(Text(f"    {why}", style="green dim"), overflow="ellipsis", no_wrap=True)
        for line in plain(hit.get("preview", "")).splitlines():
            console.print(Text(f"    {line}", style="dim"), overflow="ellipsis", no_wrap=True)
    _foot(output, console)


def _foot(output: Mapping[str, Any], console: Console) -> None:
    if output.get("note"):
        console.print(plain(output["note"]), style="yellow")
    if output.get("next_offset") is not None:
        console.print(f"more: --offset {output['next_offset']}", style="dim")
