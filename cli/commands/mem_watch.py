"""`aur mem watch`: the memory follows the project until Ctrl-C."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import common, opened, session_of
from aurora.cli.exit_codes import ExitCode
from aurora.cli.terminal.console import console, flat
from aurora.cli.terminal.units import counted
from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.indexing.watch import Update

_NAMED = 3


@click.pass_context
def _watch(context: click.Context, /, **given: Any) -> int:
    session = session_of(context, given)
    stop = threading.Event()
    with opened(session) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "a memory that follows the project is written, and nothing is written in read-only mode",
                help="Leave out --read-only, or READ_ONLY in the environment.",
            )
        from aurora.memory.indexing.watch import follow  # noqa: PLC0415 - help does not need it
        from aurora.tools.files.containment import demand_project  # noqa: PLC0415 - as above

        demand_project(workspace.root)
        try:
            follow(workspace.memory, workspace.root, stop, _teller(as_json=session.json))
        except KeyboardInterrupt:
            stop.set()
    return ExitCode.OK


def _teller(*, as_json: bool) -> Callable[[Update], None]:
    paper = console()
    first = [True]

    def tell(update: Update) -> None:
        if as_json:
            click.echo(json.dumps(_as_json(update)))
            return
        if update.fault is not None:
            paper.print(f"{time.strftime('%H:%M:%S')}  {flat(update.fault.message)}; trying again", soft_wrap=True)
            return
        paper.print(f"{time.strftime('%H:%M:%S')}  {_said(update)}", soft_wrap=True)
        if first[0]:
            first[0] = False
            paper.print("following the project; Ctrl-C ends it", style="dim", soft_wrap=True)

    return tell


def _said(update: Update) -> str:
    parts = [f"{counted(update.read, 'file')} read"] if update.read else []
    parts += [f"{update.gone:,} gone"] if update.gone else []
    names = [flat(name) for name in update.names[:_NAMED]]
    more = len(update.names) - len(names)
    named = f": {', '.join(names)}{f' and {more} more' if more else ''}" if names else ""
    return f"{', '.join(parts) or 'up to date'}{named} ({update.seconds:.2f} s)"


def _as_json(update: Update) -> dict[str, Any]:
    said = {"read": update.read, "gone": update.gone, "paths": list(update.names), "seconds": round(update.seconds, 3)}
    return said | ({"error": update.fault.as_json()} if update.fault else {})


COMMAND = click.Command(
    "watch",
    params=common(),
    callback=_watch,
    help="Index what changes, soon after it is saved, until Ctrl-C. `aur mcp` does so by itself while it serves.",
)
