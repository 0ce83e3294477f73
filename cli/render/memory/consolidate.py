"""Merges: which record is kept, and which it takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each merge, then the sum."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for merge in output["merges"]:
        kept = merge["kept"]
        console.print(
            Text(to_single_line(f"kept   {kept['id']}  {kept['text']}"), style="bold"),
            no_wrap=True,
            overflow="ellipsis",
        )
        for one in merge["taken"]:
            line = to_single_line(f"{one['score']:5.2f}  {one['id']}  {one['text']}")
            console.print(Text(line), no_wrap=True, overflow="ellipsis")
    looked = format_count(output["looked_at"], "record")
    word = "would be merged" if output["dry_run"] else "merged"
    console.print(f"{looked} looked at by {output['by']}, {output['merged']:,} {word}", soft_wrap=True)
    if output["backup"]:
        console.print(
            to_single_line(f"before: {output['backup']}; `aur mem undo` takes it back"), style="dim", soft_wrap=True
        )
