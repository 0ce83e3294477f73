"""The workflows as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import plain
from .sizes import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line a workflow."""
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("name", "version", "title", "phases", "from", "state"):
        table.add_column(title, overflow="fold")
    for one in output["workflows"]:
        broken = one["problems"]
        state = Text(counted(broken, "error"), style="red") if broken else Text("ok", style="green")
        cells = (one["version"], one["title"], str(one["phases"]), one["source"])
        table.add_row(Text(plain(one["name"]), style="bold"), *(Text(plain(cell)) for cell in cells), state)
    console.print(table)
    if any(one["problems"] for one in output["workflows"]):
        console.print("`aur workflow validate` shows the errors", style="dim")
