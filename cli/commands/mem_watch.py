"""`aur mem watch`: index each change of the project until Ctrl-C."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import open_workspace
from aurora.cli.terminal import format_count, make_console
from aurora.faults import Code, Fault, escape_json, show_hidden_line
from aurora.memory.indexing.watch import watch_project
from aurora.tools import files

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.indexing.watch import IndexUpdate

_MAX_NAMES = 3


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    stop = threading.Event()
    with open_workspace(options) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "watching the project writes to its memory, and read-only mode forbids writes",
                help="Leave out --read-only, or READ_ONLY in the environment.",
            )
        files.require_project(workspace.root)
        try:
            watch_project(workspace.memory, workspace.root, stop, _make_reporter(as_json=options.json))
        except KeyboardInterrupt:
            stop.set()
    return ExitCode.OK


def _make_reporter(*, as_json: bool) -> Callable[[IndexUpdate], None]:
    console = make_console()
    is_first = True

    def report_update(update: IndexUpdate) -> None:
        nonlocal is_first
        if as_json:
            click.echo(escape_json(json.dumps(_to_json(update))))
            return
        fault = update.fault
        message = _format_update(update) if fault is None else f"{show_hidden_line(fault.message)}; trying again"
        console.print(f"{time.strftime('%H:%M:%S')}  {message}", soft_wrap=True)
        if is_first and fault is None:
            is_first = False
            console.print("watching the project; press Ctrl-C to stop", style="dim", soft_wrap=True)

    return report_update


def _format_update(update: IndexUpdate) -> str:
    parts = [f"{format_count(update.read, 'file')} read"] if update.read else []
    parts += [f"{update.gone:,} gone"] if update.gone else []
    names = [show_hidden_line(name) for name in update.names[:_MAX_NAMES]]
    more = len(update.names) - len(names)
    named = f": {', '.join(names)}{f' and {more} more' if more else ''}" if names else ""
    return f"{', '.join(parts) or 'up to date'}{named} ({update.seconds:.2f} s)"


def _to_json(update: IndexUpdate) -> dict[str, Any]:
    said = {"read": update.read, "gone": update.gone, "paths": list(update.names), "seconds": round(update.seconds, 3)}
    return said | ({"error": update.fault.to_json()} if update.fault else {})


COMMAND = click.Command(
    "watch",
    params=build_common_options(),
    callback=_run_command,
    help="Index each file soon after it is saved, until Ctrl-C. `aur mcp` does the same while it serves.",
)
