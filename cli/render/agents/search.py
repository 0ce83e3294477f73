"""The agents that fit a task, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import plain

from .list import heading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each agent with the words that it shares with the task."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["hits"]:
        console.print("no agent fits; `aur agents list` shows those that exist")
    for hit in output["hits"]:
        line = heading(hit["agent"])
        line.append(f"  {hit['score']:.2f}", style="green")
        console.print(line, soft_wrap=True)
        console.print(Text(f"    {plain(', '.join(hit['matched']))}", style="dim"), soft_wrap=True)
