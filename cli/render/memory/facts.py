"""Facts and patterns: the one just kept, those forgotten, and what was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the three it is."""
    if "created" in output:
        word = "kept" if output["created"] else "known already"
        console.print(to_single_line(f"{word}: {output['id']}  {output['subject']}"), soft_wrap=True)
    elif "forgotten" in output:
        for one in output["forgotten"]:
            console.print(to_single_line(f"forgotten: {one['id']}  {one['subject']}"), soft_wrap=True)
        console.print("`aur mem undo` brings it back", style="dim", soft_wrap=True)
    else:
        _print_undone(output, console)


def _print_undone(output: Mapping[str, Any], console: Console) -> None:
    console.print(to_single_line(f"taken back: {output['summary']} ({output['at']})"), soft_wrap=True)
    console.print(f"{format_count(output['back'], 'record')} as before, {output['gone']:,} taken out", soft_wrap=True)
    if output["runs_left"]:
        names = ", ".join(output["runs_left"])
        console.print(to_single_line(f"left, since they have gone on: {names}"), style="yellow", soft_wrap=True)
