"""Themes and candidate goals, each with what speaks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the two it is."""
    looked = format_count(output["looked_at"], "chunk")
    if "goals" in output:
        for one in output["goals"]:
            _print_heading(f"{one['confidence']:5.2f}  {one['goal']}", console)
            console.print(
                to_single_line(f"       {', '.join(one['words'])}; {format_count(one['size'], 'memory chunk')}"),
                soft_wrap=True,
            )
        found = f"{format_count(len(output['goals']), 'candidate')} out of {format_count(output['themes'], 'theme')}"
        console.print(f"{found} of {looked}", style="dim", soft_wrap=True)
        return
    for one in output["themes"]:
        _print_heading(f"{one['size']:5,}  {one['name']}  ({one['coherence']:.2f})", console)
        for member in one["typical"]:
            place = f"  {member['path']}" if member["path"] else ""
            console.print(to_single_line(f"       {member['id']}  {member['subject']}{place}"), soft_wrap=True)
    found = format_count(len(output["themes"]), "theme")
    console.print(f"{found} of {looked}, {output['alone']:,} in none", style="dim", soft_wrap=True)


def _print_heading(line: str, console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    console.print(Text(to_single_line(line), style="bold"), soft_wrap=True)
