"""`aur mem adopt`: take over facts, patterns and runs from a memory that another account made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.project import open_workspace
from aurora.cli.render.registry import print_json
from aurora.cli.terminal import format_count
from aurora.faults import show_hidden_line
from aurora.memory import maintenance

_MOST_SHOWN = 10


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    with open_workspace(options) as workspace:
        file = Path(given["file"]).absolute()
        done, lost = maintenance.adopt_records(workspace.memory.shared_store, file, has_runs=given["runs"])
    if options.json:
        print_json({"records": done.records, "known": done.records_known, "runs": done.runs, "left_out": list(lost)})
        return ExitCode.OK
    taken = f"{format_count(done.records, 'record')} and {format_count(done.runs, 'run')}"
    click.echo(f"taken over: {taken}, marked as from elsewhere; known before: {done.records_known:,}")
    for name in lost[:_MOST_SHOWN]:
        click.echo(show_hidden_line(f"left out: {name}"))
    if len(lost) > _MOST_SHOWN:
        click.echo(f"left out: {len(lost) - _MOST_SHOWN:,} more")
    if done.records or done.runs:
        click.echo("`aur mem undo` removes them again; `aur mem confirm ID` confirms one")
    return ExitCode.OK


COMMAND = DescribedCommand(
    "adopt",
    params=[
        DescribedArgument(
            ["file"],
            metavar="FILE",
            description="The memory, as the message named it, such as .aurora/memory.db.foreign-20260131-091500.",
        ),
        click.Option(["--runs"], is_flag=True, help="Take over its runs, too: to look at, not to continue."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Take over the facts and patterns of a memory that another account made: one that came with a clone, or from "
    "another computer of yours, and was moved aside unread. It is read in a process with limits of time and memory, "
    "and stays as it is. What is taken over is marked as from elsewhere; it is doubtful and ranks below the code until "
    "you confirm it.",
)
