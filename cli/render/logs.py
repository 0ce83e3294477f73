"""The logged calls as a table, the newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, format_timestamp, print_table, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


_COLUMNS = (
    Column("time (UTC)"),
    Column("tool", flows=True),
    Column("from", leaves=2),
    Column("outcome", leaves=1),
    Column("request", leaves=4),
    Column("ms", leaves=3, justify="right"),
)


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line a call."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["calls"]:
        console.print(output["note"])
        return
    rows = []
    for call in output["calls"]:
        code = call.get("code")
        cells = (
            Text(format_timestamp(call["time"])),
            Text(to_single_line(call["tool"]), style="bold"),
            Text(call["surface"]),
            Text(to_single_line(code or call["status"]), style="red" if code else "green"),
            Text(to_single_line(call["request_id"]), style="dim"),
            Text(f"{call['duration_ms']:,.1f}"),
        )
        rows.append(cells)
    print_table(_COLUMNS, rows, console)
    if output.get("note"):
        console.print(output["note"], style="dim")
