"""The assistants in a table: which there are, or how each is connected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import flat
from aurora.cli.terminal.table import Column, print_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_COLOURS = {"connected": "green", "absent": "dim"}
_LISTED = (Column("name"), Column("assistant", leaves=2), Column("file", leaves=1, flows=True), Column("found"))
_STANDING = (Column("assistant"), Column("status"), Column("file", leaves=1, flows=True), Column("command", leaves=2))


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the list, or how each file stands and what is wrong with it."""
    if "files" in output:
        _status(output, console)
    else:
        _list(output, console)


def _list(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    rows = [
        (
            Text(host["name"], style="bold" if host["found"] else "dim"),
            Text(host["title"]),
            Text(flat(host["project_file"] or host["user_file"])),
            Text(flat(host["found"][0] if host["found"] else "not found"), style="dim"),
        )
        for host in output["hosts"]
    ]
    print_table(_LISTED, rows, console, titled=False)


def _status(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["files"]:
        console.print("No assistant was found here; `aur hosts list` tells which there are.")
        return
    rows = [
        (
            Text(one["title"], style="bold"),
            Text(one["status"], style=_COLOURS.get(one["status"], "yellow")),
            Text(flat(one["file"])),
            Text(flat(" ".join(one["command"])), style="dim"),
        )
        for one in output["files"]
    ]
    print_table(_STANDING, rows, console, titled=False)
    for one in output["files"]:
        if one["message"]:
            console.print(Text(f"warning: {flat(one['message'])}", style="yellow"), soft_wrap=True)
            console.print(f"  help: {flat(one['help'])}", soft_wrap=True)
    if any(one["status"] == "absent" for one in output["files"]):
        console.print("`aur init` connects those that are absent.")
