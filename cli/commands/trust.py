"""`aur trust`: show what a folder brings, ask, and trust it from then on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora import trust
from aurora.cli import terminal
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import open_workspace
from aurora.cli.render import print_json, show_trust_list, show_trust_report
from aurora.faults import Code, Fault, show_hidden_line
from aurora.tools.trust import build_report, check_large_workflows, survey_project

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions
    from aurora.tools.runtime import Workspace
    from aurora.trust import ProjectPlace

TRUST_COMMAND = "aur trust"
_QUESTION = "Trust this folder, and use its own workflows and agents?"


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
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
    place = workspace.trust.locate()
    report = build_report(workspace).model_dump(mode="json")
    is_listed = report["reason"] == "listed"
    if given["yes"] and not is_listed:
        _grant_trust(workspace, place)
        report = build_report(workspace).model_dump(mode="json")
    if options.json:
        print_json(report)
        return ExitCode.OK if report["trusted"] else ExitCode.PROBLEMS
    show_trust_report(report)
    click.echo()
    if is_listed:
        click.echo("This folder is trusted already; `aur trust --revoke` undoes it.")
        return ExitCode.OK
    if given["yes"]:
        return _show_outcome(workspace)
    if not sys.stdin.isatty():
        raise click.UsageError("not a terminal: pass --yes to trust this folder", context)
    return ask_for_trust(workspace, place)


def ask_for_trust(workspace: Workspace, place: ProjectPlace) -> ExitCode:
    """Ask the person, who has seen the report, and do what they say.

    Args:
        workspace: the open project.
        place: its place when the report was made.
    """
    if not terminal.confirm(_QUESTION, default=False):
        click.echo("It is not trusted; the shipped workflows and your own agents are used.")
        return ExitCode.PROBLEMS
    _grant_trust(workspace, place)
    return _show_outcome(workspace)


def offer_trust(workspace: Workspace) -> None:
    """Show what an untrusted folder brings, and ask; do nothing where there is nothing to trust."""
    place = workspace.trust.locate()
    report = build_report(workspace).model_dump(mode="json")
    if report["trusted"] or not (report["workflows"] or report["agents"]):
        return
    click.echo()
    show_trust_report(report)
    click.echo()
    ask_for_trust(workspace, place)


def _grant_trust(workspace: Workspace, place: ProjectPlace) -> None:
    _require_write(workspace)
    if not survey_project(workspace.root, whole=True).complete:
        raise Fault(
            Code.CONFLICT,
            "this folder has more workflows or agents than can be shown, so it is not trusted",
            help="delete from `.aurora/workflows` what is no workflow, and delete agents that are not used",
        )
    workspace.trust.grant(place)
    check_large_workflows(workspace)


def _show_outcome(workspace: Workspace) -> ExitCode:
    status = workspace.trust.read_status()
    if not status.trusted:
        what = "AURORA_TRUST is 0" if status.reason == "refused" else "the folder has changed meanwhile"
        click.echo(f"It is in the list of trusted folders, and still not trusted: {what}.")
        return ExitCode.PROBLEMS
    click.echo("Trusted: its own workflows and agents are used from the next call on.")
    return ExitCode.OK


def _revoke_trust(workspace: Workspace, options: CommonOptions) -> int:
    _require_write(workspace)
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
    else:
        show_trust_list(folders)
    return ExitCode.OK


def _require_write(workspace: Workspace) -> None:
    if not workspace.keeps_log:
        raise Fault(
            Code.FORBIDDEN,
            "the list of trusted folders would be written, and read-only mode forbids writes",
            help="Start without --read-only (or unset READ_ONLY).",
        )


COMMAND = click.Command(
    "trust",
    params=[
        click.Option(["--yes", "-y"], is_flag=True, help="Trust the folder without asking."),
        click.Option(["--revoke"], is_flag=True, help="Trust the folder no longer."),
        click.Option(["--list"], is_flag=True, help="List the folders that you trust."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Show the workflows and agents that this folder brings: what they change in the shipped workflows, which "
    "tools they use, and their errors. Then ask whether to use them. Until you trust a folder, Aurora uses only its "
    "shipped workflows and your own agents there.",
)
