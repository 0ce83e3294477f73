"""Facts and patterns: the one just kept, those forgotten, and what was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import flat
from aurora.cli.terminal.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the three it is."""
    if "created" in output:
        word = "kept" if output["created"] else "known already"
        console.print(flat(f"{word}: {output['id']}  {output['subject']}"), soft_wrap=True)
    elif "forgotten" in output:
        for one in output["forgotten"]:
            console.print(flat(f"forgotten: {one['id']}  {one['subject']}"), soft_wrap=True)
        console.print("`aur mem undo` brings it back", style="dim", soft_wrap=True)
    else:
        _undone(output, console)


def _undone(output: Mapping[str, Any], console: Console) -> None:
    console.print(flat(f"taken back: {output['summary']} ({output['at']})"), soft_wrap=True)
    console.print(f"{counted(output['back'], 'record')} as before, {output['gone']:,} taken out", soft_wrap=True)
    if output["runs_left"]:
        names = ", ".join(output["runs_left"])
        console.print(flat(f"left, since they have gone on: {names}"), style="yellow", soft_wrap=True)
