"""What was added to the code graph and what was taken out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .screen import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the differences, definitions before links."""
    counts = output["counts"]
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    console.print(plain(f"against {output['against']}{told and f': {told}'}"), style="dim", soft_wrap=True)
    for change in output["changes"]:
        sign = "+" if change["change"] == "added" else "-"
        what = f"{change['kind']} {change['id']}"
        if change.get("target"):
            what = f"{change['id']} {change['kind']} {change['target']}"
        console.print(plain(f"{sign} {what}"), style="green" if sign == "+" else "red", soft_wrap=True)
    if output.get("note"):
        console.print(plain(output["note"]), style="yellow", soft_wrap=True)
