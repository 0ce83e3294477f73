"""Backups: the one just made, the list, and what a restoring did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import plain
from aurora.cli.terminal.units import in_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the three it is."""
    if "backups" in output:
        _list(output, console)
    elif "restored" in output:
        _restored(output, console)
    else:
        console.print(f"backed up: {plain(output['path'])} ({in_bytes(output['size_bytes'])})", soft_wrap=True)


def _list(output: Mapping[str, Any], console: Console) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["backups"]:
        console.print(f"no backups in {plain(output['folder'])}: `aur mem backup` makes one", soft_wrap=True)
        return
    grid = Table.grid(padding=(0, 2))
    for each in output["backups"]:
        grid.add_row(Text(plain(each["name"])), each["made_at"], in_bytes(each["size_bytes"]), plain(each["reason"]))
    console.print(grid)


def _restored(output: Mapping[str, Any], console: Console) -> None:
    console.print(f"restored: {plain(output['restored']['name'])}", soft_wrap=True)
    if output["before"]:
        console.print(
            f"what was there before: {plain(output['before']['name'])}; `aur mem restore` brings that back",
            soft_wrap=True,
        )
    if output["set_aside"]:
        console.print(f"the damaged database is now {plain(output['set_aside'])}", soft_wrap=True)
