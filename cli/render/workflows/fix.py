"""The edits that were made, each as what it was and what it is now; then what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import flat
from aurora.cli.terminal.units import counted

from . import validate as render_workflow_validate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the edits to people, then what a check shows."""
    if output["format"] == "text" and not output["report"]:
        _edits(output, console)
    render_workflow_validate.render(output, console)


def _edits(output: Mapping[str, Any], console: Console) -> None:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for edit in output["edits"]:
        line = Text(f"{flat(edit['path'])}:{edit['line']}:{edit['column']}: ", style="bold")
        line.append("fixed: ", style="bold green")
        line.append(f"{flat(edit['old'])} → {flat(edit['new'])} ")
        line.append(f"[{edit['code']} {edit['name']}]", style="dim")
        console.print(line, soft_wrap=True)
    if output["edits"]:
        console.print(f"{counted(len(output['edits']), 'problem')} mended", style="green")
