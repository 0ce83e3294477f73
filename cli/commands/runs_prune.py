"""`aur runs prune`: delete old runs, after a question."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from aurora.cli import terminal
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import open_workspace
from aurora.cli.render.registry import print_json
from aurora.faults import Code, Fault, show_hidden_line
from aurora.memory.model.runs import is_moment
from aurora.memory.search import parse_moment
from aurora.tools import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import RunRow
    from aurora.tools.runtime import Workspace

_STATES = ("ended", "failed", "open", "waiting", "damaged")
_DONE = ("ended", "failed")
"""States that are pruned unless others are named."""
_AT_REST = (*_DONE, "damaged")
"""States of runs that nothing continues."""
_BUSY_SECONDS = 3600
"""A run that is not done and that continued within this time may be running: it is never pruned."""
_MAX_SHOWN = 10
_KEPT = "fit, but continued within the last hour, and are"


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    if not (given["older_than"] or given["state"] or given["keep"] is not None):
        message = "nothing chosen: pass --older-than, --state or --keep"
        raise click.UsageError(message, context)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    with open_workspace(options, reads=given["dry_run"]) as workspace:
        chosen, kept = _choose_runs(workspace, given)
        if workspace.read_only and not given["dry_run"]:
            message = "runs would be deleted, and read-only mode forbids writes"
            raise Fault(Code.FORBIDDEN, message, help="Start without --read-only (or unset READ_ONLY).")
        if not options.json:
            _show_runs(chosen, kept)
        return _prune(workspace, chosen, given, as_json=options.json)


def _choose_runs(workspace: Workspace, given: dict[str, Any]) -> tuple[list[RunRow], list[RunRow]]:
    """Choose the runs to delete, the newest first, and those that fit but may be running."""
    states = given["state"] or _DONE
    before = parse_moment(given["older_than"]) / 10**9 if given["older_than"] else float("inf")
    rows = workspace.memory.journal.runs(1 << 31)[given["keep"] or 0 :]
    fitting = [row for row in rows if _read_state(row) in states and _read_time(row) < before]
    kept = [row for row in fitting if _may_be_running(row)]
    return [row for row in fitting if row not in kept], kept


def _read_state(row: RunRow) -> str:
    return str(row.document.get("status", "open"))


def _read_time(row: RunRow) -> float:
    return datetime.fromisoformat(row.updated_at).timestamp() if is_moment(row.updated_at) else 0.0


def _may_be_running(row: RunRow) -> bool:
    return _read_state(row) not in _AT_REST and time.time() - _read_time(row) < _BUSY_SECONDS


def _prune(workspace: Workspace, chosen: Sequence[RunRow], given: dict[str, Any], *, as_json: bool) -> int:
    removed = 0
    if chosen and not given["dry_run"]:
        noun = "run" if len(chosen) == 1 else "runs"
        question = f"Delete {len(chosen):,} {noun} with all steps and answers? This cannot be undone."
        terminal.ask_before(question, is_answered=given["yes"])
        removed = workspace.memory.journal.remove(chosen)
    if as_json:
        print_json({"chosen": [row.run for row in chosen], "removed": removed})
    elif not given["dry_run"]:
        click.echo(f"deleted: {terminal.format_count(removed, 'run')}")
    return ExitCode.OK


def _show_runs(chosen: Sequence[RunRow], kept: Sequence[RunRow]) -> None:
    for row in chosen[:_MAX_SHOWN]:
        click.echo(f"{row.run}  {show_hidden_line(row.workflow)}  {_read_state(row)}  {row.updated_at[:10]}")
    if len(chosen) > _MAX_SHOWN:
        click.echo(f"and {len(chosen) - _MAX_SHOWN:,} more")
    if kept:
        verb = "fits, but continued within the last hour, and is" if len(kept) == 1 else _KEPT
        click.echo(f"{terminal.format_count(len(kept), _name_state(kept))} {verb} kept")
    elif not chosen:
        click.echo("no run fits")


def _name_state(rows: Sequence[RunRow]) -> str:
    """Name runs by their state, if it is one: `open run`."""
    states = {_read_state(row) for row in rows}
    return f"{states.pop()} run" if len(states) == 1 else "run"


COMMAND = click.Command(
    "prune",
    params=[
        click.Option(
            ["--older-than"], metavar="AGE", help="Only runs that last continued before: 30d, 2w, 2026-01-31."
        ),
        click.Option(
            ["--state"],
            type=click.Choice(_STATES),
            multiple=True,
            help="Only runs in this state. [default: ended and failed] May be given several times.",
        ),
        click.Option(["--keep"], type=click.IntRange(0), help="Keep this many of the newest runs."),
        click.Option(["--dry-run"], is_flag=True, help="List the runs and delete nothing."),
        click.Option(["--yes"], is_flag=True, help="Do it without a question."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Delete old runs with their steps and answers. An open or waiting run that continued within the last hour may "
    "be running and is never deleted.",
)
