"""`aur workflow new`: create a workflow, and trust the folder when it is the first one there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser import DescribedCommand, build_command
from aurora.cli.project import open_workspace
from aurora.faults import Fault, show_hidden_line
from aurora.tools.trust import survey_project

from .trust import TRUST_COMMAND

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions

_UNTRUSTED = f"It is not used yet, because this folder is not trusted: run `{TRUST_COMMAND}`."


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, dict(given))
    with open_workspace(options, reads=True) as workspace:
        had_own, was_trusted = bool(survey_project(workspace.root)), workspace.trust.is_trusted()
    code = int(_CREATE_COMMAND.callback(**given)) if _CREATE_COMMAND.callback else ExitCode.BUG
    if code == ExitCode.OK and not was_trusted:
        _report_trust(options, had_own=had_own)
    return code


def _report_trust(options: CommonOptions, *, had_own: bool) -> None:
    """Trust a folder that has only what the person created; else report that it is not trusted."""
    if had_own or options.json or not sys.stdin.isatty():
        click.echo(_UNTRUSTED, err=options.json)
        return
    with open_workspace(options, reads=True) as workspace:
        try:
            workspace.trust.grant()
        except Fault as fault:  # the workflow is written all the same
            click.echo(show_hidden_line(f"{_UNTRUSTED} {fault.message}: {fault.help}"))
            return
    click.echo("This folder is trusted from now on, because the workflow is the first and only one of its own.")


_CREATE_COMMAND = build_command("workflow.new")
COMMAND = DescribedCommand(
    _CREATE_COMMAND.name,
    params=_CREATE_COMMAND.params,
    callback=_run_command,
    help=_CREATE_COMMAND.help,
    short_help=_CREATE_COMMAND.short_help,
)
