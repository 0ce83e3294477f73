"""The edits that were made, each as what it was and what it is now; then what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, to_single_line

from . import validate as render_workflow_validate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the edits to people, then what a check shows."""
    if output["format"] == "text" and not output["report"]:
        _print_edits(output, console)
    render_workflow_validate.render(output, console)


def _print_edits(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for edit in output["edits"]:
        line = Text(f"{to_single_line(edit['path'])}:{edit['line']}:{edit['column']}: ", style="bold")
        line.append("fixed: ", style="bold green")
        line.append(f"{to_single_line(edit['old'])} → {to_single_line(edit['new'])} ")
        line.append(f"[{edit['code']} {edit['name']}]", style="dim")
        console.print(line, soft_wrap=True)
    if output["edits"]:
        console.print(f"{format_count(len(output['edits']), 'problem')} mended", style="green")
