"""`aur init`: what would be written is shown, a person is asked, and then it is done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, open_workspace, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render import show_output
from aurora.cli.terminal import track_progress

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    session = take_common_options(context, given)
    _reject_conflicts(context, given)
    from aurora.tools.runtime import call_log as calllog  # noqa: PLC0415 - help does not need the tools

    calllog.configure_logging()  # silent, unless AURORA_LOG asks for the lines
    hosts = list(given["hosts"])
    asked = {"hosts": hosts, "user": given["user"], "remove": given["remove"]}
    if given["dry_run"]:
        return show_output("init.plan", _call_tool(session, "init.plan", asked), as_json=session.json)
    if not given["yes"]:
        planned = _call_tool(session, "init.plan", asked)
        _require_terminal(context, session)
        show_output("init.plan", planned, as_json=False)
        if (planned["changes"] or given["with_memory"]) and not _confirm_plan(planned, given):
            click.echo("Nothing was written.")
            return ExitCode.PROBLEMS
    if given["remove"]:
        name, arguments = "init.remove", {"hosts": hosts, "with_memory": given["with_memory"]}
    else:
        name, arguments = "init.run", {"hosts": hosts, "user": given["user"], "index": given["index"]}
    return show_output(name, _call_tool(session, name, arguments), as_json=session.json)


def _reject_conflicts(context: click.Context, given: dict[str, Any]) -> None:
    """Options that do not go together."""
    if given["with_memory"] and not given["remove"]:
        raise click.UsageError("--with-memory goes with --remove", context)
    if given["remove"] and given["user"]:
        raise click.UsageError("--remove looks through all files; leave out --user", context)


def _require_terminal(context: click.Context, session: CommonOptions) -> None:
    """A question that nobody could answer is not put; what is wrong besides has been told by then."""
    if session.json or not sys.stdin.isatty():
        raise click.UsageError(
            "nobody can be asked here; add --yes to write, or --dry-run to see what would be written", context
        )


def _call_tool(session: CommonOptions, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from aurora.tools.runtime import call_tool  # noqa: PLC0415 - help does not need the tools

    with open_workspace(session, reads=name == "init.plan") as workspace, track_progress(session) as progress:
        return call_tool(workspace, name, arguments, progress=progress, surface="cli")


def _confirm_plan(planned: dict[str, Any], given: dict[str, Any]) -> bool:
    count = len(planned["changes"])
    files = f"{count} file" if count == 1 else f"{count} files"
    question = f"Change {files}?"
    if given["remove"]:
        question = f"Take Aurora out of {files}{', and delete the memory and all runs' * given['with_memory']}?"
    return click.confirm(question, default=not given["with_memory"])


COMMAND = click.Command(
    "init",
    params=[
        click.Option(
            ["--hosts"], multiple=True, metavar="NAMES", help="These assistants, with commas between them, or one each."
        ),
        click.Option(["--user"], is_flag=True, help="Write your own configuration files instead of the project's."),
        click.Option(["--yes", "-y"], is_flag=True, help="Write without asking."),
        click.Option(["--dry-run"], is_flag=True, help="Show what would be written, and write nothing."),
        click.Option(["--index/--no-index"], default=True, help="Read the project into its memory too."),
        click.Option(["--remove"], is_flag=True, help="Take all of Aurora's out of the assistants' files again."),
        click.Option(["--with-memory"], is_flag=True, help="With --remove: delete the memory and all runs too."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Set this project up: find your assistants, show what will be written, ask, write, index, and check.",
)
