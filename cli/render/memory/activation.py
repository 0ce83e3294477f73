"""The chunks that are most active, with the parts of their activation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """One line for each chunk: what it is, its activation, and why."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for chunk in output["chunks"]:
        line = Text(f"{chunk['activation']:7.2f}  ", style="green")
        line.append(
            strip_controls(f"{chunk['path']}:{chunk['lines']}" if chunk.get("path") else chunk["id"]), style="bold"
        )
        line.append(f"  {strip_controls(chunk.get('symbol', ''))}", style="cyan")
        why = [f"base {chunk['base']:.2f}"]
        why += [f"spread {chunk['spread']:.2f}"] if chunk["spread"] else []
        why += [f"read {format_count(chunk['uses'], 'time')}, last {chunk['last_used']}"] if chunk["uses"] else []
        line.append(f"  {', '.join(why)}", style="dim")
        console.print(line, soft_wrap=True)
    if output.get("note"):
        console.print(output["note"])
