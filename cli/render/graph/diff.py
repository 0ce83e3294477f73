"""What was added to the code graph and what was taken out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "moved": ("~", "cyan")}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the differences, definitions before links."""
    counts = [(name.split("_"), count) for name, count in output["counts"].items()]
    told = ", ".join(f"{format_count(count, what[:-1])} {change}" for (what, change), count in counts)
    console.print(strip_controls(f"against {output['against']}{told and f': {told}'}"), style="dim", soft_wrap=True)
    for change in output["changes"]:
        sign, style = _SIGNS[change["change"]]
        what = f"{change['kind']} {change['id']}"
        if change.get("target"):
            what = f"{change['id']} {'→' if sign == '~' else change['kind']} {change['target']}"
        console.print(strip_controls(f"{sign} {what}"), style=style, soft_wrap=True)
    if output.get("next_offset") is not None:
        console.print(f"more: --offset {output['next_offset']}", style="dim")
    if output.get("note"):
        console.print(strip_controls(output["note"]), style="yellow", soft_wrap=True)
