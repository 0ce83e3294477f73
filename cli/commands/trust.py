"""`aur trust`: show what a folder brings, ask, and trust it from then on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora import trust
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.output import Output, format_timestamp
from aurora.cli.project import open_workspace
from aurora.cli.render.printer import print_json
from aurora.cli.trust import TrustQuestion, require_write, show_outcome
from aurora.errors import show_hidden_line

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions
    from aurora.tools.runtime import Workspace

TRUST_COMMAND = "aur trust"


@click.pass_context
def _decide_trust(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    if sum((given["yes"], given["revoke"], given["list"])) > 1:
        raise click.UsageError("--yes, --revoke and --list exclude each other", context)
    with open_workspace(options, reads=True) as workspace:
        if given["list"]:
            return _show_list(workspace, options)
        if given["revoke"]:
            return _revoke_trust(workspace, options)
        return _trust_folder(workspace, options, given, context)


def _trust_folder(workspace: Workspace, options: CommonOptions, given: dict[str, Any], context: click.Context) -> int:
    question = TrustQuestion(workspace)
    if given["yes"] and not question.is_settled:
        question.grant()
        if options.json:
            # The report is of the state before; a program wants to know the one that it has made.
            question = TrustQuestion(workspace)
    if options.json:
        print_json(question.report)
        return ExitCode.OK if question.report["trusted"] else ExitCode.PROBLEMS
    question.show(whole=given["show"])
    if question.is_settled:
        click.echo("\nThis folder is trusted already, and nothing has changed since; `aur trust --revoke` undoes it.")
        return ExitCode.OK
    if given["yes"]:
        click.echo()
        return show_outcome(workspace)
    if not sys.stdin.isatty():
        raise click.UsageError("not a terminal: pass --yes to trust this folder", context)
    return question.ask()


def _revoke_trust(workspace: Workspace, options: CommonOptions) -> int:
    require_write(workspace)
    removed = workspace.trust.revoke()
    status = workspace.trust.read_status()
    if options.json:
        print_json(
            {
                "folder": str(workspace.root),
                "trusted": status.trusted,
                "reason": status.reason,
                "removed": [entry.root for entry in removed],
            }
        )
    elif status.trusted:
        click.echo("It is still trusted, because AURORA_TRUST is set; unset it.")
    elif removed:
        click.echo(show_hidden_line(f"No longer trusted: {', '.join(entry.root for entry in removed)}"))
    else:
        click.echo("This folder was not trusted.")
    return ExitCode.PROBLEMS if status.trusted else ExitCode.OK


def _show_list(workspace: Workspace, options: CommonOptions) -> int:
    folders = [
        {"folder": entry.root, "since": entry.since, "state": trust.check_entry(entry)}
        for entry in workspace.trust.list_entries()
    ]
    if options.json:
        print_json({"folders": folders})
        return ExitCode.OK
    out = Output()
    if not folders:
        out.line("no folder is trusted; run `aur trust` in one")
    for one in folders:  # no table: a long path would hide the state, which the list is read for
        out.line(one["state"], "  ", (format_timestamp(one["since"]), "dim"), "  ", one["folder"])
    return ExitCode.OK


TRUST = click.Command(
    "trust",
    params=[
        click.Option(["--yes", "-y"], is_flag=True, help="Trust the folder without asking."),
        click.Option(["--show"], is_flag=True, help="Print the whole text of every file, also of those shown before."),
        click.Option(["--revoke"], is_flag=True, help="Trust the folder no longer."),
        click.Option(["--list"], is_flag=True, help="List the folders that you trust."),
        *build_common_options(),
    ],
    callback=_decide_trust,
    help="Show the workflows and agents that this folder brings, or those that are new or changed since then: "
    "what they change in the shipped workflows, which tools they use, their errors, their text and its warning signs. "
    "Then ask whether to use them. Until you trust a folder, and what has changed in it, Aurora uses only its shipped "
    "workflows, your own agents, and what you were shown before.",
)
