"""The logged calls as a table, the newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import flat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line a call."""
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["calls"]:
        console.print(output["note"])
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("time (UTC)", "tool", "from", "outcome", "request"):
        table.add_column(title, overflow="fold")
    table.add_column("ms", justify="right")
    for call in output["calls"]:
        code = call.get("code")
        table.add_row(
            call["time"][:19].replace("T", " "),
            Text(flat(call["tool"]), style="bold"),
            call["surface"],
            Text(flat(code or call["status"]), style="red" if code else "green"),
            Text(flat(call["request_id"]), style="dim"),
            f"{call['duration_ms']:,.1f}",
        )
    console.print(table)
    if output.get("note"):
        console.print(output["note"], style="dim")
