"""The workflows that fit a task, best first, with why, and how to begin the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each workflow with its confidence and what speaks for it."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["suggestions"]:
        console.print("no workflow of this project runs; `aur workflow validate` tells why")
        return
    for one in output["suggestions"]:
        line = Text(strip_controls(one["workflow"]), style="bold cyan")
        line.append(f"  {one['confidence']:.0%}", style="green")
        line.append(f"  {strip_controls(one['title'])}", style="default")
        console.print(line, soft_wrap=True)
        for why in _list_reasons(one):
            console.print(Text(f"    {why}", style="dim"), soft_wrap=True)
    first = output["suggestions"][0]
    console.print()
    if not output["certain"]:
        console.print("None is clearly ahead.")
    console.print(Text(f"begin: aur workflow step {first['start']} --workflow {first['workflow']}", style="dim"))


def _list_reasons(one: Mapping[str, Any]) -> list[str]:
    found = []
    if one["words"]:
        found.append(f"speaks of {strip_controls(', '.join(one['words']))}")
    if one["nearest"]:
        found.append(f"suits: {strip_controls(one['nearest'])}")
    return found
