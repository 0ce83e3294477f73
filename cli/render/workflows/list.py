"""The workflows as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, format_count, print_table, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


_COLUMNS = (
    Column("name"),
    Column("version", leaves=2),
    Column("title", flows=True),
    Column("phases", leaves=3),
    Column("from", leaves=1),
    Column("state"),
)


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line a workflow."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    rows = []
    for one in output["workflows"]:
        broken = one["problems"]
        state = Text(format_count(broken, "error"), style="red") if broken else Text("ok", style="green")
        cells = (one["version"], one["title"], str(one["phases"]), one["source"])
        rows.append(
            (Text(strip_controls(one["name"]), style="bold"), *(Text(strip_controls(cell)) for cell in cells), state)
        )
    print_table(_COLUMNS, rows, console)
    if any(one["problems"] for one in output["workflows"]):
        console.print("`aur workflow validate` shows the errors", style="dim")
