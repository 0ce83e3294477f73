"""`aur init`: show the changes, ask for confirmation, apply them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, reject_empty, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser import DescribedCommand, complete_value
from aurora.cli.project import open_workspace
from aurora.cli.render import show_output
from aurora.cli.terminal import track_progress
from aurora.cli.trust_question import TrustQuestion, offer_trust
from aurora.tools import runtime
from aurora.tools.trust import build_notice

from . import init_questions as questions

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions


_WISHES = ("user", "allow_tools", "hooks", "notes", "skill", "url", "token_env")


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    _reject_conflicts(context, given)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    reject_empty(context, given, "hosts", "url", "token_env")
    for option in ("url", "token_env"):
        given[option] = given[option] or ""
    if given["index"] is None:
        given["index"] = not given["url"]  # the memory is the server's
    hosts = list(given["hosts"]) or _ask_for_hosts(options, given)
    wishes = {"hosts": hosts, **{name: given[name] for name in _WISHES}}
    arguments = wishes | {"remove": given["remove"]}
    if given["dry_run"]:
        return show_output("init.plan", _call_tool(options, "init.plan", arguments), as_json=options.json)
    if not given["yes"]:
        planned = _call_tool(options, "init.plan", arguments)
        _require_terminal(context, options)
        if not _ask_person(planned, given):
            click.echo("Nothing was written.")
            return ExitCode.PROBLEMS
        wishes["allow_tools"] = given["allow_tools"] or questions.confirm_allowance(planned)
    if given["remove"]:
        arguments = {"hosts": hosts, "with_memory": given["with_memory"]}
        return show_output("init.remove", _call_tool(options, "init.remove", arguments), as_json=options.json)
    output = _call_tool(options, "init.run", wishes | {"index": given["index"]})
    return _show_result(options, output, asks=not given["yes"], trusts=given["trust"])


def _ask_for_hosts(options: CommonOptions, given: dict[str, Any]) -> list[str]:
    """Ask for the assistants where a person can answer and has not named them."""
    is_asked = not (given["yes"] or given["dry_run"] or given["remove"] or options.json) and sys.stdin.isatty()
    return questions.pick_hosts(_call_tool(options, "hosts.list", {})["hosts"]) if is_asked else []


def _ask_person(planned: dict[str, Any], given: dict[str, Any]) -> bool:
    """Show the plan with a summary, and ask whether to apply it; with nothing to change, ask nothing."""
    show_output("init.plan", planned, as_json=False)
    if not planned["changes"] and not given["with_memory"]:
        return True
    questions.show_summary(planned, indexes=given["index"])
    return questions.confirm_plan(planned, removes=given["remove"], with_memory=given["with_memory"])


def _show_result(options: CommonOptions, output: dict[str, Any], *, asks: bool, trusts: bool) -> int:
    """Show the result of the setup, and let the person decide whether to trust what the folder brings.

    A clone's files are not trusted by `--yes`, which is meant for the setup.
    """
    with open_workspace(options, reads=True) as workspace:
        if not trusts and not asks and (notice := build_notice(workspace)):
            output["advice"] = [*output["advice"], notice]
        code = show_output("init.run", output, as_json=options.json)
        if trusts:
            TrustQuestion(workspace).grant()
        elif asks:
            offer_trust(workspace)
    return code


def _reject_conflicts(context: click.Context, given: dict[str, Any]) -> None:
    """Reject options that exclude each other."""
    if given["with_memory"] and not given["remove"]:
        raise click.UsageError("--with-memory requires --remove", context)
    if given["remove"] and given["user"]:
        raise click.UsageError("--remove covers all files: leave out --user", context)
    if given["remove"] and given["allow_tools"]:
        raise click.UsageError("--remove removes the rules of --allow-tools: leave it out", context)
    if given["remove"] and given["hooks"]:
        raise click.UsageError("--remove removes the hooks: leave out --hooks", context)
    if given["remove"] and (given["url"] or given["token_env"]):
        raise click.UsageError("--remove removes entries with any address: leave out --url and --token-env", context)
    if given["trust"] and (given["remove"] or given["dry_run"]):
        raise click.UsageError("--trust goes with a setup: leave out --remove and --dry-run", context)


def _require_terminal(context: click.Context, options: CommonOptions) -> None:
    """Fail without a terminal to ask on; other errors were reported before."""
    if options.json or not sys.stdin.isatty():
        raise click.UsageError("not a terminal: pass --yes to apply or --dry-run to preview", context)


def _call_tool(options: CommonOptions, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    with (
        open_workspace(options, reads=name in {"hosts.list", "init.plan"}) as workspace,
        track_progress(options) as progress,
    ):
        return runtime.call_tool(workspace, name, arguments, progress=progress, surface="cli")


COMMAND = DescribedCommand(
    "init",
    params=[
        click.Option(
            ["--hosts"],
            multiple=True,
            metavar="NAMES",
            shell_complete=complete_value,
            help="The assistants, separated by commas, or one per option.",
        ),
        click.Option(["--user"], is_flag=True, help="Change your own configuration files instead of the project's."),
        click.Option(["--url"], metavar="URL", help="Connect to a server over HTTP instead of starting one."),
        click.Option(["--token-env"], metavar="NAME", help="The variable with the token for --url."),
        click.Option(["--yes", "-y"], is_flag=True, help="Apply without asking."),
        click.Option(["--dry-run"], is_flag=True, help="Preview the changes, and write nothing."),
        click.Option(["--trust"], is_flag=True, help="Trust this folder's own workflows and agents too."),
        click.Option(["--index/--no-index"], default=None, help="Index the project too; with --url, by default not."),
        click.Option(["--notes/--no-notes"], default=True, help="Write the note for agents, as in AGENTS.md."),
        click.Option(["--skill/--no-skill"], default=True, help="Write the skill that explains Aurora."),
        click.Option(["--remove"], is_flag=True, help="Remove Aurora from the assistants' files."),
        click.Option(["--allow-tools"], is_flag=True, help="Let assistants run the three tools without asking."),
        click.Option(["--hooks"], is_flag=True, help="Let assistants get context at each start, prompt and file."),
        click.Option(["--with-memory"], is_flag=True, help="With --remove: delete the memory and all runs too."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Set up this project: find your assistants, let you choose, preview the changes, ask, apply, index, and "
    "check. Then show the workflows and agents that the folder brings, if any, and ask whether to trust them, as "
    "`aur trust` does.",
)
