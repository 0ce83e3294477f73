"""One agent, and the instructions that its host gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

from .list import format_heading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show what the agent is for, what it may use, and its instructions as they stand."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    agent = output["agent"]
    console.print(format_heading(agent), soft_wrap=True)
    console.print(Text(f"    {strip_controls(agent['description'])}"), soft_wrap=True)
    facts = [f"model {agent['model']}"] if agent["model"] else []
    facts += [f"tools {', '.join(agent['tools'])}"] if agent["tools"] else []
    if facts:
        console.print(Text(f"    {strip_controls('; '.join(facts))}", style="dim"), soft_wrap=True)
    if output["instructions"]:
        console.print()
        console.print(
            Text("\n".join(strip_controls(line) for line in output["instructions"].splitlines())), soft_wrap=True
        )
    if output["truncated"]:
        console.print(Text(f"… the whole text is in {strip_controls(agent['path'])}", style="dim"), soft_wrap=True)
