"""`aur workflow new`: create a workflow, and trust the folder when it is the first one there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedCommand
from aurora.cli.parser.tool_command import build_command
from aurora.cli.project import open_workspace
from aurora.faults import Fault, show_hidden_line
from aurora.tools.trust import read_contents, survey_project, survey_unused

from .trust import TRUST_COMMAND

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions

_UNUSED = f"It is not used yet, because you were not shown it: run `{TRUST_COMMAND}`."
_UNTRUSTED = f"It is not used yet, because this folder is not trusted: run `{TRUST_COMMAND}`."


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, dict(given))
    with open_workspace(options, reads=True) as workspace:
        had_own, was_trusted = bool(survey_project(workspace.root)), workspace.trust.is_trusted()
        had_unused = bool(survey_unused(workspace))
    code = int(_CREATE_COMMAND.callback(**given)) if _CREATE_COMMAND.callback else ExitCode.BUG
    if code == ExitCode.OK:
        _report_trust(options, is_foreign=had_unused or (had_own and not was_trusted), was_trusted=was_trusted)
    return code


def _report_trust(options: CommonOptions, *, is_foreign: bool, was_trusted: bool) -> None:
    """Trust what the person has just created; where there is more that is not used, report that."""
    with open_workspace(options, reads=True) as workspace:
        created = survey_unused(workspace).workflows
        if was_trusted and not created:
            return
        if is_foreign or options.json or not sys.stdin.isatty():
            click.echo(_UNUSED if was_trusted else _UNTRUSTED, err=options.json)
            return
        try:
            read = read_contents(workspace).definitions
            workspace.trust.grant(shown=[files for files in read if files[0][0] in created])
        except Fault as fault:  # the workflow is written all the same
            click.echo(show_hidden_line(f"{_UNTRUSTED} {fault.message}: {fault.help}"))
            return
    if not was_trusted:
        click.echo("This folder is trusted from now on, because the workflow is the first and only one of its own.")


_CREATE_COMMAND = build_command("workflow.new")
COMMAND = DescribedCommand(
    _CREATE_COMMAND.name,
    params=_CREATE_COMMAND.params,
    callback=_run_command,
    help=_CREATE_COMMAND.help,
    short_help=_CREATE_COMMAND.short_help,
)
