"""What a repair found, did, saved and could not save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, strip_controls, to_single_line

from .check import print_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_MAX_LOST = 20


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show what was done."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    if not output["found"]:
        console.print(f"nothing to repair, the memory is whole: {strip_controls(output['path'])}", soft_wrap=True)
        return
    print_findings(output["found"], console)
    if output["set_aside"]:
        console.print(f"the damaged database is now {strip_controls(output['set_aside'])}", soft_wrap=True)
    if output["backup"]:
        console.print(f"what was there before: {output['backup']}; `aur mem restore` brings that back", soft_wrap=True)
    if output["saved"]:
        saved = ", ".join(f"{count:,} {table}" for table, count in output["saved"].items())
        console.print(f"saved: {saved}", soft_wrap=True)
    if output["files"] is not None:
        console.print(f"read again: {format_count(output['files'], 'file')}")
    for name in output["lost"][:_MAX_LOST]:
        console.print(Text.assemble(("lost: ", "bold yellow"), to_single_line(name)), soft_wrap=True)
    if len(output["lost"]) > _MAX_LOST:
        console.print(f"and {len(output['lost']) - _MAX_LOST:,} more; --json lists them")
    if output["ok"]:
        console.print(f"the memory is whole: {strip_controls(output['path'])}", soft_wrap=True)
    else:
        console.print("what is still wrong:")
        print_findings(output["left"], console)
