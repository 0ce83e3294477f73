"""One definition of the code graph, or what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the definition, or the members."""
    from rich.table import Table  # noqa: PLC0415 - only a person's eyes need it
    from rich.text import Text  # noqa: PLC0415 - as above

    if "members" in output:
        told = f"{output['id']}: {len(output['members'])} of {output['total']} members"
        console.print(strip_controls(told), style="dim", soft_wrap=True)
        for member in output["members"]:
            console.print(Text(strip_controls(f"  {member['kind']} {member['id']}  {member['lines']}")), soft_wrap=True)
        if output.get("next_offset") is not None:
            console.print(f"more: --offset {output['next_offset']}", style="dim")
        return
    console.print(Text(strip_controls(output["id"]), style="bold cyan"), soft_wrap=True)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    rows = {
        "kind": f"{output['kind']} {output.get('language', '')}",
        "place": f"{output['path']}:{output['lines']}",
        "in": output.get("parent") or "the project",
        "chunk": output.get("chunk") or "none",
        "leads to": _format_counts(output["out"]),
        "led to by": _format_counts(output["into"]),
    }
    for name, value in rows.items():
        grid.add_row(name, Text(strip_controls(value)))
    console.print(grid)


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in counts.items()) or "nothing"
