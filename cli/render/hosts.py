"""The assistants in a table: which there are, or how each is connected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, print_table, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_STATUS_STYLES = {"connected": "green", "absent": "dim"}
_HOST_COLUMNS = (Column("name"), Column("assistant", leaves=2), Column("file", leaves=1, flows=True), Column("found"))
_STATUS_COLUMNS = (
    Column("assistant"),
    Column("status"),
    Column("file", leaves=1, flows=True),
    Column("command", leaves=2),
)


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the list, or how each file stands and what is wrong with it."""
    if "files" in output:
        _print_status(output, console)
    else:
        _print_hosts(output, console)


def _print_hosts(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    rows = [
        (
            Text(host["name"], style="bold" if host["found"] else "dim"),
            Text(host["title"]),
            Text(to_single_line(host["project_file"] or host["user_file"])),
            Text(to_single_line(host["found"][0] if host["found"] else "not found"), style="dim"),
        )
        for host in output["hosts"]
    ]
    print_table(_HOST_COLUMNS, rows, console, titled=False)


def _print_status(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["files"]:
        console.print("No assistant was found here; `aur hosts list` tells which there are.")
        return
    rows = [
        (
            Text(one["title"], style="bold"),
            Text(one["status"], style=_STATUS_STYLES.get(one["status"], "yellow")),
            Text(to_single_line(one["file"])),
            Text(to_single_line(" ".join(one["command"])), style="dim"),
        )
        for one in output["files"]
    ]
    print_table(_STATUS_COLUMNS, rows, console, titled=False)
    for one in output["files"]:
        if one["message"]:
            console.print(Text(f"warning: {to_single_line(one['message'])}", style="yellow"), soft_wrap=True)
            console.print(f"  help: {to_single_line(one['help'])}", soft_wrap=True)
    if any(one["status"] == "absent" for one in output["files"]):
        console.print("`aur init` connects those that are absent.")
