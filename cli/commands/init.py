"""`aur init`: show the changes, ask for confirmation, apply them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, reject_empty, take_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.interaction import confirm, track_progress
from aurora.cli.output import Output, format_count
from aurora.cli.parser.parameters import DescribedCommand, complete_value
from aurora.cli.project import open_workspace
from aurora.cli.render.printer import show_output, to_fields
from aurora.cli.render.setup import print_diffs
from aurora.cli.trust import TrustQuestion, offer_trust
from aurora.errors import did_you_mean, show_hidden_line
from aurora.tools import runtime, trust

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from aurora.cli.context import CommonOptions

_WISHES = ("user", "allow_tools", "hooks", "notes", "skill", "url", "token_env")


@click.pass_context
def _set_up_project(context: click.Context, /, **given: Any) -> int:
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
        return show_output("init.plan", _call_tool(options, "init.plan", arguments), as_json=options.json, verbose=True)
    if not given["yes"]:
        planned = _call_tool(options, "init.plan", arguments)
        _require_terminal(context, options)
        if not _ask_person(planned, given):
            click.echo("Nothing was written.")
            return ExitCode.PROBLEMS
        # To let assistants run tools unasked is another consent than
        # that to change files, so it has a question of its own.
        wishes["allow_tools"] = given["allow_tools"] or confirm_allowance(planned)
    if given["remove"]:
        arguments = {"hosts": hosts, "with_memory": given["with_memory"]}
        return show_output("init.remove", _call_tool(options, "init.remove", arguments), as_json=options.json)
    output = _call_tool(options, "init.run", wishes | {"index": given["index"]})
    return _show_result(options, output, asks=not given["yes"], trusts=given["trust"])


def _ask_for_hosts(options: CommonOptions, given: dict[str, Any]) -> list[str]:
    """Ask for the assistants where a person can answer and has not named them."""
    is_asked = not (given["yes"] or given["dry_run"] or given["remove"] or options.json) and sys.stdin.isatty()
    return pick_hosts(_call_tool(options, "hosts.list", {})["hosts"]) if is_asked else []


def _ask_person(planned: dict[str, Any], given: dict[str, Any]) -> bool:
    """Show the plan, a line for each file, and ask whether to apply it, if there is something to change."""
    show_output("init.plan", planned, as_json=False)
    if not planned["changes"] and not given["with_memory"]:
        return True
    if given["index"] and not planned["removed"]:
        click.echo("Then the project is indexed, and the result is checked.")
    return confirm_plan(planned, removes=given["remove"], with_memory=given["with_memory"])


def _show_result(options: CommonOptions, output: dict[str, Any], *, asks: bool, trusts: bool) -> int:
    """Show the result of the setup, and let the person decide whether to trust what the folder brings.

    A clone's files are not trusted by `--yes`, which is meant for the setup.
    """
    with open_workspace(options, reads=True) as workspace:
        if not trusts and not asks and (notice := trust.build_notice(workspace)):
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


def pick_hosts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ask for the assistants; empty means those in use.

    Args:
        rows: the output of `hosts.list`.
    """
    found = [row for row in rows if row["found"]]
    click.echo("In use here:" if found else "No assistant found in this project or on this machine.")
    for number, row in enumerate(found, 1):
        click.echo(f"  {number}  {row['title']} ({row['name']})  {row['found'][0]}")
    others = ", ".join(row["name"] for row in rows if not row["found"])
    if others:
        click.echo(f"Others: {others}")
    return _ask_for_names([row["name"] for row in found], {row["name"] for row in rows})


def _ask_for_names(found: Sequence[str], known: Collection[str]) -> list[str]:
    """Ask until each number is one of the list, and each name is that of an assistant."""
    keep = "Enter for these" if found else "Enter for none"
    question = f"Which assistants? {keep}, or numbers and names with commas between them"
    numbers = {str(number) for number in range(1, len(found) + 1)}
    while True:
        words = click.prompt(question, default="", show_default=False).replace(",", " ").split()
        wrong = next((word for word in words if word not in numbers and word not in known), None)
        if wrong is None:
            return [found[int(word) - 1] if word in numbers else word for word in words]
        click.echo(_describe_wrong_word(wrong, known))


def _describe_wrong_word(word: str, known: Collection[str]) -> str:
    """Describe a word that is neither a number of the list nor the name of an assistant."""
    if word.isdecimal():
        return f"There is no number {word[:20]}."
    suggestion = did_you_mean(word[:80], known)
    return show_hidden_line(f'There is no assistant "{word[:80]}"{f"; {suggestion}" if suggestion else "."}')


def confirm_plan(planned: Mapping[str, Any], *, removes: bool, with_memory: bool) -> bool:
    """Ask whether to change the files; the default is no where the memory would be deleted."""
    files = format_count(len(planned["changes"]), "file")
    question = f"Change {files}?"
    if removes:
        question = f"Remove Aurora from {files}{', and delete the memory and all runs' * with_memory}?"

    def show() -> str:
        print_diffs(to_fields(planned), Output())
        return question

    return confirm(question, default=not with_memory, show=show if planned["changes"] else None)


def confirm_allowance(planned: Mapping[str, Any]) -> bool:
    """Ask whether the assistants may run the default tools without asking; by default they may not.

    A person who runs the command again, with nothing left to change, is not asked again.
    """
    if not planned["offers"] or not planned["changes"]:
        return False
    titles = " and ".join(offer["title"] for offer in planned["offers"])
    click.echo(
        f"{titles} can run aurora_query, aurora_search and aurora_get without asking you each time: they read this "
        "project and store runs in .aurora/."
    )
    for offer in planned["offers"]:
        click.echo(f"  {offer['path']}: {', '.join(offer['rules'])}  {offer['note']}")
    return confirm("Allow that?", default=False)


INIT = DescribedCommand(
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
    callback=_set_up_project,
    help="Set up this project: find your assistants, let you choose, preview the changes, ask, apply, index, and "
    "check. Then show the workflows and agents that the folder brings, if any, and ask whether to trust them, as "
    "`aur trust` does.",
)
