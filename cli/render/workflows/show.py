"""A workflow on one screen: each phase, and below it what may follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.text import Text


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the workflow."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    head = Text(f"{strip_controls(output['name'])} {strip_controls(output['version'])}", style="bold")
    head.append(f"  {strip_controls(output.get('title', ''))}")
    console.print(head)
    console.print(Text(strip_controls(output["path"]), style="dim"), soft_wrap=True)
    if output.get("description"):
        console.print(Text(strip_controls(output["description"]).strip()))
    for number, phase in enumerate(output["phases"], 1):
        console.print()
        console.print(_format_heading(number, phase, output["start"]), soft_wrap=True)
        for line in _format_phase(phase):
            console.print(Text(f"   {strip_controls(line)}"), soft_wrap=True)
        for rule in phase["next_action"]:
            console.print(_format_rule(rule), soft_wrap=True)
    if output.get("on_error"):
        console.print()
        console.print(Text(f"a phase that fails leads to {output['on_error']}", style="dim"))


def _format_heading(number: int, phase: Mapping[str, Any], start: str) -> Text:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    head = Text(f"{number}. {phase['name']}", style="bold cyan")
    head.append(f"  {strip_controls(phase.get('title', ''))}", style="default")
    if phase["name"] == start:
        head.append("  start", style="green")
    if phase.get("aliases"):
        head.append(f"  also called {', '.join(phase['aliases'])}", style="dim")
    return head


def _format_phase(phase: Mapping[str, Any]) -> list[str]:
    lines = []
    if phase.get("inputs"):
        lines.append("takes " + ", ".join(_format_input(one) for one in phase["inputs"]))
    if phase.get("uses"):
        lines.append(f"runs  {phase['uses']}")
    if phase.get("asks"):
        lines.append(f"asks  the host for {phase['asks']}")
    return lines


def _format_input(one: Mapping[str, Any]) -> str:
    recalled = f" (from {one['recalled_from']})" if one.get("recalled_from") else ""
    return f"{one['name']}{'' if one.get('required') else '?'}{recalled}"


def _format_rule(rule: Mapping[str, Any]) -> Text:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    line = Text(f"   → {rule['then']}", style="bold")
    rest = f" when {rule['when']}" if rule.get("when") else ""
    if rule.get("max"):
        rest += f", at most {rule['max']} times, then {rule.get('otherwise', 'end')}"
    if rule.get("early_exit"):
        rest += " (early exit)"
    line.append(strip_controls(rest), style="default")
    return line
