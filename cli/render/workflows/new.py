"""What was written for a new workflow, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Name the files and the next two commands."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for path in output["files"]:
        console.print(Text(f"wrote {strip_controls(path)}"), soft_wrap=True)
    if output["problems"]:
        told = f"{format_count(output['problems'], 'problem')}: aur workflow validate {output['workflow']}"
        console.print(Text(told, style="red"), soft_wrap=True)
    inputs = "".join(f" --input {name}='…'" for name in output["needs"])
    console.print()
    console.print(
        Text(f"next: edit {output['path']}, then aur workflow validate {output['workflow']}", style="dim"),
        soft_wrap=True,
    )
    run = f"try:  aur workflow step {output['start']} --workflow {output['workflow']}{inputs}"
    console.print(Text(strip_controls(run), style="dim"), soft_wrap=True)
