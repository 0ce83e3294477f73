"""`aur mem confirm`: show a record, and ask the person at the terminal whether it is right."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli import terminal
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.project import open_workspace
from aurora.faults import Code, Fault, show_hidden, show_hidden_line
from aurora.memory import records
from aurora.tools import runs

if TYPE_CHECKING:
    from aurora.tools.runtime import Workspace

_HOW = "terminal"
_QUESTION = "Is this right, as far as you know?"


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    with open_workspace(options) as workspace:
        if workspace.read_only:
            message = "the mark would be written, and read-only mode forbids writes"
            raise Fault(Code.FORBIDDEN, message, help="Start without --read-only (or unset READ_ONLY).")
        if given["revoke"]:
            records.revoke_confirmation(workspace.memory.store, given["id"])
            click.echo(f"not confirmed: {given['id']}")
            return ExitCode.OK
        _require_terminal()
        return _ask_person(workspace, given["id"])


def _require_terminal() -> None:
    """Refuse to ask where no person sits: a program could answer.

    Raises:
        Fault: FORBIDDEN if standard input or output is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = "not a terminal: only a person can confirm a record, and a pipe or a script is none"
        raise Fault(Code.FORBIDDEN, message, help="Run it yourself in a terminal; there is no option that skips this.")


def _ask_person(workspace: Workspace, id_: str) -> int:
    store = workspace.memory.store
    with store.begin_read() as db:
        chunk = records.find_record(db, id_)
    click.echo(f"{show_hidden_line(chunk.id)}  {show_hidden_line(chunk.symbol)}\n\n{show_hidden(chunk.text)}\n")
    if not terminal.confirm(_QUESTION, default=False):
        click.echo("It is not confirmed.")
        return ExitCode.PROBLEMS
    records.confirm_record(store, id_, by=runs.name_user(), how=_HOW)
    click.echo(f"confirmed: {chunk.id}; `aur mem confirm {chunk.id} --revoke` undoes it")
    return ExitCode.OK


COMMAND = DescribedCommand(
    "confirm",
    params=[
        DescribedArgument(
            ["id"], metavar="ID", description="The id of the fact or the pattern, as `aur mem search` shows it."
        ),
        click.Option(["--revoke"], is_flag=True, help="Remove the mark."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Show a fact or a pattern, and ask you whether it is right. A pattern that you confirm may rank above the "
    "code, as long as what it cites is unchanged. It needs a terminal, so that no script answers for you.",
)
