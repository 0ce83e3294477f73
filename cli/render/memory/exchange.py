"""Exports and imports: the lines themselves, or what was done with them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, to_single_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_NOUNS = {"chunk": "record", "run": "run", "step": "step"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the two it is."""
    if "withheld" in output:
        _print_export(output, console)
    else:
        _print_import(output, console)


def _print_export(output: Mapping[str, Any], console: Console) -> None:
    if output["path"] is None:  # the lines are for another program, what is said of them for the person
        sys.stdout.write(output["text"])
        console.file = sys.stderr
    else:
        told = ", ".join(format_count(output["counts"][kind], noun) for kind, noun in _NOUNS.items())
        console.print(to_single_line(f"exported: {output['path']} ({told})"), soft_wrap=True)
    for one in output["withheld"]:
        console.print(to_single_line(f"withheld: {one['id']} holds {one['rule']}"), style="yellow", soft_wrap=True)


def _print_import(output: Mapping[str, Any], console: Console) -> None:
    records, runs = format_count(output["records"], "record"), format_count(output["runs"], "run")
    there = ((output["records_known"], "record"), (output["runs_known"], "run"))
    known = " and ".join(format_count(count, noun) for count, noun in there if count)
    also = f"; {known} known already" if known else ""
    console.print(f"imported: {records}, {runs}, {format_count(output['accesses'], 'use')}{also}", soft_wrap=True)
    if output["passed_over"]:
        made = f"{format_count(output['passed_over'], 'chunk')} of files passed over: `aur mem index` makes them"
        console.print(made, soft_wrap=True)
    if output["differing"]:
        names = ", ".join(output["differing"])
        console.print(
            to_single_line(f"left alone, since they say something else here: {names}"), style="yellow", soft_wrap=True
        )
    if output["backup"]:
        console.print(
            to_single_line(f"before: {output['backup']}; `aur mem undo` takes it back"), style="dim", soft_wrap=True
        )
