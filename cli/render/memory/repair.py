"""What a repair found, did, saved and could not save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import flat, plain
from aurora.cli.terminal.units import counted

from .check import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_MOST_LOST = 20


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show what was done."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["found"]:
        console.print(f"nothing to repair, the memory is whole: {plain(output['path'])}", soft_wrap=True)
        return
    shown(output["found"], console)
    if output["set_aside"]:
        console.print(f"the damaged database is now {plain(output['set_aside'])}", soft_wrap=True)
    if output["backup"]:
        console.print(f"what was there before: {output['backup']}; `aur mem restore` brings that back", soft_wrap=True)
    if output["saved"]:
        saved = ", ".join(f"{count:,} {table}" for table, count in output["saved"].items())
        console.print(f"saved: {saved}", soft_wrap=True)
    if output["files"] is not None:
        console.print(f"read again: {counted(output['files'], 'file')}")
    for name in output["lost"][:_MOST_LOST]:
        console.print(Text.assemble(("lost: ", "bold yellow"), flat(name)), soft_wrap=True)
    if len(output["lost"]) > _MOST_LOST:
        console.print(f"and {len(output['lost']) - _MOST_LOST:,} more; --json lists them")
    if output["ok"]:
        console.print(f"the memory is whole: {plain(output['path'])}", soft_wrap=True)
    else:
        console.print("what is still wrong:")
        shown(output["left"], console)
