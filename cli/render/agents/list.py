"""The agents, one under another, and the definitions that are broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.text import Text


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each agent with what it is for and where it is defined."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["agents"]:
        console.print("no agents yet: a file such as .claude/agents/reviewer.md defines one")
    for agent in output["agents"]:
        console.print(format_heading(agent), soft_wrap=True)
        if agent["description"]:
            console.print(Text(f"    {strip_controls(agent['description'])}"), soft_wrap=True)
    for problem in output["problems"]:
        said = f"warning: {strip_controls(problem['path'])}: {strip_controls(problem['message'])}"
        console.print(Text(said, style="yellow"), soft_wrap=True)
        if problem["help"]:
            console.print(f"  help: {strip_controls(problem['help'])}", soft_wrap=True)


def format_heading(agent: Mapping[str, Any]) -> Text:
    """The agent's name, its host and its file."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    line = Text(strip_controls(agent["name"]), style="bold cyan")
    line.append(f"  {strip_controls(agent['host'])}, {agent['scope']}", style="default")
    line.append(f"  {strip_controls(agent['path'])}", style="dim")
    return line
