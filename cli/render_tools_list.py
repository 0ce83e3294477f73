"""The tools as a table, one line a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_COLOURS = {"read": "green", "write": "yellow", "high": "red"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each tool with what it is called where it appears."""
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["tools"]:
        console.print("no tool is of that family and that risk")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("tool", "family", "risk", "command", "over MCP", "what it does"):
        table.add_column(title, overflow="fold")
    for tool in output["tools"]:
        table.add_row(
            Text(tool["uses"], style="bold"),
            tool["family"],
            Text(tool["risk"], style=_COLOURS[tool["risk"]]),
            tool["command"] or "",
            tool["mcp"] or "",
            tool["title"],
        )
    console.print(table)
