"""Backups: the one just made, the list, and what a restoring did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_bytes, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the three it is."""
    if "backups" in output:
        _print_backups(output, console)
    elif "restored" in output:
        _print_restored(output, console)
    else:
        console.print(
            f"backed up: {strip_controls(output['path'])} ({format_bytes(output['size_bytes'])})", soft_wrap=True
        )


def _print_backups(output: Mapping[str, Any], console: Console) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["backups"]:
        console.print(f"no backups in {strip_controls(output['folder'])}: `aur mem backup` makes one", soft_wrap=True)
        return
    grid = Table.grid(padding=(0, 2))
    for each in output["backups"]:
        grid.add_row(
            Text(strip_controls(each["name"])),
            each["made_at"],
            format_bytes(each["size_bytes"]),
            strip_controls(each["reason"]),
        )
    console.print(grid)


def _print_restored(output: Mapping[str, Any], console: Console) -> None:
    console.print(f"restored: {strip_controls(output['restored']['name'])}", soft_wrap=True)
    if output["before"]:
        console.print(
            f"what was there before: {strip_controls(output['before']['name'])}; `aur mem restore` brings that back",
            soft_wrap=True,
        )
    if output["set_aside"]:
        console.print(f"the damaged database is now {strip_controls(output['set_aside'])}", soft_wrap=True)
