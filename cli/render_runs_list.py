"""The runs as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

COLOURS = {"ended": "green", "open": "cyan", "failed": "red"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line a run, the newest first."""
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    if not output["runs"]:
        console.print("no runs yet: `aur workflow step assess --input query='…'` begins one")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("run", "workflow", "state", "last phase", "next", "steps", "updated (UTC)"):
        table.add_column(title, overflow="fold")
    for run in output["runs"]:
        table.add_row(
            Text(plain(run["run"]), style="bold"),
            Text(plain(run["workflow"])),
            Text(run["status"], style=COLOURS.get(run["status"], "default")),
            Text(plain(run.get("phase") or "")),
            Text(plain(run.get("next") or "")),
            str(run["steps"]),
            run["updated_at"][:19].replace("T", " "),
        )
    console.print(table)
    if output.get("next_offset") is not None:
        console.print(f"older: --offset {output['next_offset']}", style="dim")
