"""Exports and imports: the lines themselves, or what was done with them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal.console import flat
from aurora.cli.terminal.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_NOUNS = {"chunk": "record", "run": "run", "step": "step"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show whichever of the two it is."""
    if "withheld" in output:
        _exported(output, console)
    else:
        _imported(output, console)


def _exported(output: Mapping[str, Any], console: Console) -> None:
    if output["path"] is None:  # the lines are for another program, what is said of them for the person
        sys.stdout.write(output["text"])
        console.file = sys.stderr
    else:
        told = ", ".join(counted(output["counts"][kind], noun) for kind, noun in _NOUNS.items())
        console.print(flat(f"exported: {output['path']} ({told})"), soft_wrap=True)
    for one in output["withheld"]:
        console.print(flat(f"withheld: {one['id']} holds {one['rule']}"), style="yellow", soft_wrap=True)


def _imported(output: Mapping[str, Any], console: Console) -> None:
    records, runs = counted(output["records"], "record"), counted(output["runs"], "run")
    there = ((output["records_known"], "record"), (output["runs_known"], "run"))
    known = " and ".join(counted(count, noun) for count, noun in there if count)
    also = f"; {known} known already" if known else ""
    console.print(f"imported: {records}, {runs}, {counted(output['accesses'], 'use')}{also}", soft_wrap=True)
    if output["passed_over"]:
        made = f"{counted(output['passed_over'], 'chunk')} of files passed over: `aur mem index` makes them"
        console.print(made, soft_wrap=True)
    if output["differing"]:
        names = ", ".join(output["differing"])
        console.print(flat(f"left alone, since they say something else here: {names}"), style="yellow", soft_wrap=True)
    if output["backup"]:
        console.print(flat(f"before: {output['backup']}; `aur mem undo` takes it back"), style="dim", soft_wrap=True)
