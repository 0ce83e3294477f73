"""The tools as a table, one line a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, print_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_RISK_STYLES = {"read": "green", "write": "yellow", "high": "red"}
_COLUMNS = (
    Column("tool"),
    Column("family", leaves=3),
    Column("risk", leaves=1),
    Column("command", leaves=2),
    Column("over MCP", leaves=4),
    Column("what it does", flows=True),
)


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each tool with what it is called where it appears."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["tools"]:
        console.print("no tool is of that family and that risk")
        return
    rows = [
        (
            Text(tool["uses"], style="bold"),
            Text(tool["family"]),
            Text(tool["risk"], style=_RISK_STYLES[tool["risk"]]),
            Text(tool["command"] or ""),
            Text(tool["mcp"] or ""),
            Text(tool["title"]),
        )
        for tool in output["tools"]
    ]
    print_table(_COLUMNS, rows, console)
