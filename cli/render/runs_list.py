"""The runs as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, format_timestamp, print_table, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

STATUS_STYLES = {"ended": "green", "open": "cyan", "failed": "red"}


_COLUMNS = (
    Column("run"),
    Column("workflow", flows=True),
    Column("state"),
    Column("last phase", leaves=3),
    Column("next", leaves=2),
    Column("steps", leaves=4),
    Column("updated (UTC)", leaves=1),
)


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line a run, the newest first."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["runs"]:
        console.print("no runs yet: `aur workflow step assess --input query='…'` begins one")
        return
    rows = [
        (
            Text(strip_controls(run["run"]), style="bold"),
            Text(strip_controls(run["workflow"])),
            Text(run["status"], style=STATUS_STYLES.get(run["status"], "default")),
            Text(strip_controls(run.get("phase") or "")),
            Text(strip_controls(run.get("next") or "")),
            Text(str(run["steps"])),
            Text(format_timestamp(run["updated_at"])),
        )
        for run in output["runs"]
    ]
    print_table(_COLUMNS, rows, console)
    if output.get("next_offset") is not None:
        console.print(f"older: --offset {output['next_offset']}", style="dim")
