"""The agents that fit a task, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

from .list import format_heading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each agent with the words that it shares with the task."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["hits"]:
        console.print("no agent fits; `aur agents list` shows those that exist")
    for hit in output["hits"]:
        line = format_heading(hit["agent"])
        line.append(f"  {hit['score']:.2f}", style="green")
        console.print(line, soft_wrap=True)
        console.print(Text(f"    {strip_controls(', '.join(hit['matched']))}", style="dim"), soft_wrap=True)
