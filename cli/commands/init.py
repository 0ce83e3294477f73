"""`aur init`: show the changes, ask for confirmation, apply them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import open_workspace
from aurora.cli.render import show_output
from aurora.cli.terminal import format_count, track_progress
from aurora.tools import runtime

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    _reject_conflicts(context, given)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    hosts = list(given["hosts"])
    arguments = {"hosts": hosts, "user": given["user"], "remove": given["remove"]}
    if given["dry_run"]:
        return show_output("init.plan", _call_tool(options, "init.plan", arguments), as_json=options.json)
    if not given["yes"]:
        planned = _call_tool(options, "init.plan", arguments)
        _require_terminal(context, options)
        show_output("init.plan", planned, as_json=False)
        if (planned["changes"] or given["with_memory"]) and not _confirm_plan(planned, given):
            click.echo("Nothing was written.")
            return ExitCode.PROBLEMS
    if given["remove"]:
        name, arguments = "init.remove", {"hosts": hosts, "with_memory": given["with_memory"]}
    else:
        name, arguments = "init.run", {"hosts": hosts, "user": given["user"], "index": given["index"]}
    return show_output(name, _call_tool(options, name, arguments), as_json=options.json)


def _reject_conflicts(context: click.Context, given: dict[str, Any]) -> None:
    """Reject options that exclude each other."""
    if given["with_memory"] and not given["remove"]:
        raise click.UsageError("--with-memory requires --remove", context)
    if given["remove"] and given["user"]:
        raise click.UsageError("--remove covers all files: leave out --user", context)


def _require_terminal(context: click.Context, options: CommonOptions) -> None:
    """Fail where nobody can answer the question; other errors were reported before."""
    if options.json or not sys.stdin.isatty():
        raise click.UsageError("not a terminal: pass --yes to apply or --dry-run to preview", context)


def _call_tool(options: CommonOptions, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    with open_workspace(options, reads=name == "init.plan") as workspace, track_progress(options) as progress:
        return runtime.call_tool(workspace, name, arguments, progress=progress, surface="cli")


def _confirm_plan(planned: dict[str, Any], given: dict[str, Any]) -> bool:
    count = len(planned["changes"])
    files = format_count(count, "file")
    question = f"Change {files}?"
    if given["remove"]:
        question = f"Remove Aurora from {files}{', and delete the memory and all runs' * given['with_memory']}?"
    return click.confirm(question, default=not given["with_memory"])


COMMAND = click.Command(
    "init",
    params=[
        click.Option(
            ["--hosts"], multiple=True, metavar="NAMES", help="The assistants, separated by commas, or one per option."
        ),
        click.Option(["--user"], is_flag=True, help="Change your own configuration files instead of the project's."),
        click.Option(["--yes", "-y"], is_flag=True, help="Apply without asking."),
        click.Option(["--dry-run"], is_flag=True, help="Preview the changes, and write nothing."),
        click.Option(["--index/--no-index"], default=True, help="Index the project too."),
        click.Option(["--remove"], is_flag=True, help="Remove Aurora from the assistants' files."),
        click.Option(["--with-memory"], is_flag=True, help="With --remove: delete the memory and all runs too."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Set up this project: find your assistants, preview the changes, ask, apply, index, and check.",
)
