"""`aur mem watch`: the memory follows the project until Ctrl-C."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, open_workspace, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.terminal import format_count, make_console, to_single_line
from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.indexing import IndexUpdate

_MAX_NAMES = 3


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    session = take_common_options(context, given)
    stop = threading.Event()
    with open_workspace(session) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "a memory that follows the project is written, and nothing is written in read-only mode",
                help="Leave out --read-only, or READ_ONLY in the environment.",
            )
        from aurora.memory.indexing import watch_project  # noqa: PLC0415 - help does not need it
        from aurora.tools.files import require_project  # noqa: PLC0415 - as above

        require_project(workspace.root)
        try:
            watch_project(workspace.memory, workspace.root, stop, _make_reporter(as_json=session.json))
        except KeyboardInterrupt:
            stop.set()
    return ExitCode.OK


def _make_reporter(*, as_json: bool) -> Callable[[IndexUpdate], None]:
    paper = make_console()
    first = [True]

    def report_update(update: IndexUpdate) -> None:
        if as_json:
            click.echo(json.dumps(_to_json(update)))
            return
        if update.fault is not None:
            paper.print(
                f"{time.strftime('%H:%M:%S')}  {to_single_line(update.fault.message)}; trying again", soft_wrap=True
            )
            return
        paper.print(f"{time.strftime('%H:%M:%S')}  {_format_update(update)}", soft_wrap=True)
        if first[0]:
            first[0] = False
            paper.print("following the project; Ctrl-C ends it", style="dim", soft_wrap=True)

    return report_update


def _format_update(update: IndexUpdate) -> str:
    parts = [f"{format_count(update.read, 'file')} read"] if update.read else []
    parts += [f"{update.gone:,} gone"] if update.gone else []
    names = [to_single_line(name) for name in update.names[:_MAX_NAMES]]
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
    help="Index what changes, soon after it is saved, until Ctrl-C. `aur mcp` does so by itself while it serves.",
)
