"""Commands of runs that only a person may give: answer a question, delete old runs."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, reject_broken_text, take_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.interaction import ask_before, require_person
from aurora.cli.output import Output, format_count
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand, complete_value
from aurora.cli.project import open_workspace
from aurora.cli.render.printer import print_json
from aurora.cli.walk.prompt import EndOfInputError, Prompter
from aurora.cli.walk.scripted import parse_typed_value
from aurora.errors import Code, Fault, show_hidden_line
from aurora.interpreter.run.call import PersonReply
from aurora.interpreter.schema.validate import find_faults
from aurora.memory.model.runs import is_moment
from aurora.memory.search import parse_moment
from aurora.tools import runs, runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import RunRow
    from aurora.tools.runs import PersonQuestion
    from aurora.tools.runtime import Workspace

_HOW = "terminal"


@click.pass_context
def _approve_run(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    reject_broken_text(context, given)
    if given["decline"] and given["set"]:
        raise click.UsageError("--decline and --set exclude each other", context)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    with open_workspace(options, reads=given["run"] is None) as workspace:
        if given["run"] is None:
            # A list answers nothing, so scripts may have it; only what follows needs a person.
            return _list_waiting(workspace, as_json=options.json)
        require_person("answer this")
        question = runs.find_question(workspace, runs.resolve_run_id(workspace, given["run"]))
        return _ask_person(workspace, question, given, Prompter(Output()))


def _list_waiting(workspace: Workspace, *, as_json: bool) -> int:
    """List the runs that wait for the person."""
    waiting = runs.list_waiting(workspace)
    if as_json:
        listed = [{"run": one.run, "workflow": one.workflow, "message": one.message} for one in waiting]
        print_json({"runs": listed})
    else:
        for one in waiting:
            click.echo(f"{one.run}  {one.workflow}  {show_hidden_line(one.message)[:200]}")
        click.echo("`aur runs approve RUN` asks you." if waiting else "No run waits for you.")
    return ExitCode.OK


def _ask_person(workspace: Workspace, question: PersonQuestion, given: dict[str, Any], prompter: Prompter) -> int:
    prompter.print_line(f"run {question.run} of {question.workflow} asks:", "bold")
    prompter.print_line(f"\n{question.message}\n")
    try:
        content = None if given["decline"] else _read_content(question, given["set"], prompter)
        if not _confirm(prompter, declines=content is None):
            prompter.print_line("Nothing is sent; the run waits on.")
            return ExitCode.PROBLEMS
    except EndOfInputError:
        prompter.print_line("\nNothing is sent; the run waits on.")
        return ExitCode.PROBLEMS
    reply = PersonReply(content is not None, _HOW, runs.name_user())
    return _send_reply(workspace, question, reply, content, prompter)


def _read_content(question: PersonQuestion, pairs: tuple[str, ...], prompter: Prompter) -> dict[str, Any]:
    """Take the fields from the command line, and ask for the others."""
    # What the command line gives is checked before the first question, so that no typed answer is lost to it.
    content = dict(_parse_pair(question, pair) for pair in pairs)
    for name, schema in question.fields.items():
        if name in content:
            continue
        value = prompter.ask_field(name, schema, needed=name in question.form.get("required", ()))
        if value is not None:
            content[name] = value
    return question.complete_content(content)


def _parse_pair(question: PersonQuestion, pair: str) -> tuple[str, Any]:
    """Parse `field=value`, the value by the schema of the field.

    Raises:
        Fault: INVALID_INPUT for a field that the form does not have, and for a value that does not fit.
    """
    name, equals, value = pair.partition("=")
    if not equals:
        raise click.UsageError(f'--set takes FIELD=VALUE, not "{pair[:80]}"', click.get_current_context())
    if name not in question.fields:
        known = ", ".join(question.fields) or "none"
        raise Fault(Code.INVALID_INPUT, f'the form has no field "{name[:80]}"', help=f"fields: {known}")
    parsed = parse_typed_value(value, question.fields[name])
    if faults := find_faults(parsed, question.fields[name], name):
        message = "; ".join(f"{fault['path']} {fault['message']}" for fault in faults)
        raise Fault(Code.INVALID_INPUT, f"--set does not fit the form: {message}", help="Leave it out to be asked.")
    return name, parsed


def _confirm(prompter: Prompter, *, declines: bool) -> bool:
    question = "Decline? [y/N] " if declines else "Send this as your answer? [y/N] "
    # A bare Enter, or the end of the input, sends nothing: the run waits on.
    return prompter.read_line(question).strip().lower() in ("y", "yes")


def _send_reply(
    workspace: Workspace,
    question: PersonQuestion,
    reply: PersonReply,
    content: dict[str, Any] | None,
    prompter: Prompter,
) -> int:
    """Send the reply, and show what comes next.

    Raises:
        Fault: the reply was refused, as when somebody else has answered meanwhile.
    """
    response = runs.reply_to_question(workspace, question, reply, content, surface="cli")
    error = response.get("error")
    if response["status"] == "error" and error and "step" not in response["metadata"]:
        raise Fault(Code(error["code"]), error["message"], help=error["help"], details=error["details"])
    prompter.print_line("Your answer is stored." if reply.accepts else "You declined.", "green")
    following = response["next_call"]
    prompter.print_line("Your assistant can go on with the run." if following else "The run has ended.")
    return ExitCode.OK


APPROVE = DescribedCommand(
    "approve",
    params=[
        DescribedArgument(
            ["run"],
            required=False,
            metavar="[RUN]",
            shell_complete=complete_value,
            description="The run, by its id; `last` is the newest. Without it, the runs that wait are listed.",
        ),
        click.Option(["--decline"], is_flag=True, help="Decline, instead of answering."),
        click.Option(["--set"], multiple=True, metavar="FIELD=VALUE", help="A field of the form; may be repeated."),
        *build_common_options(),
    ],
    callback=_approve_run,
    help="Answer the question of a run that waits for you: read the message, fill in its form, and confirm. Without "
    "RUN, list the runs that wait; `last` is the newest run. It needs a terminal, so that no script answers for you.",
)


_STATES = ("ended", "failed", "open", "waiting", "damaged")

_DONE = ("ended", "failed")
"""States that are pruned unless others are named."""

_AT_REST = (*_DONE, "damaged")
"""States of runs that nothing continues."""

_BUSY_SECONDS = 3600
"""A run that is not done and that continued within this time may be running: it is never pruned."""

_MAX_LISTED = 10

_KEPT = "fit, but continued within the last hour, and are"


@click.pass_context
def _prune_runs(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    if not (given["older_than"] or given["state"] or given["keep"] is not None):
        message = "nothing chosen: pass --older-than, --state or --keep"
        raise click.UsageError(message, context)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    with open_workspace(options, reads=given["dry_run"]) as workspace:
        chosen, kept = _choose_runs(workspace, given)
        if workspace.read_only and not given["dry_run"]:
            message = "runs would be deleted, and read-only mode forbids writes"
            raise Fault(Code.FORBIDDEN, message, help="Start without --read-only (or unset READ_ONLY).")
        if not options.json:
            _show_runs(chosen, kept)
        return _prune(workspace, chosen, given, as_json=options.json)


def _choose_runs(workspace: Workspace, given: dict[str, Any]) -> tuple[list[RunRow], list[RunRow]]:
    """Choose the runs to delete, the newest first, and those that fit but may be running."""
    states = given["state"] or _DONE
    before = parse_moment(given["older_than"]) / 10**9 if given["older_than"] else float("inf")
    # `--keep` counts the newest of all runs, not of those that fit the other options, so all are read.
    rows = workspace.memory.journal.runs(1 << 31)[given["keep"] or 0 :]
    fitting = [row for row in rows if _read_state(row) in states and _read_time(row) < before]
    kept = [row for row in fitting if _may_be_running(row)]
    return [row for row in fitting if row not in kept], kept


def _read_state(row: RunRow) -> str:
    return str(row.document.get("status", "open"))


def _read_time(row: RunRow) -> float:
    return datetime.fromisoformat(row.updated_at).timestamp() if is_moment(row.updated_at) else 0.0


def _may_be_running(row: RunRow) -> bool:
    return _read_state(row) not in _AT_REST and time.time() - _read_time(row) < _BUSY_SECONDS


def _prune(workspace: Workspace, chosen: Sequence[RunRow], given: dict[str, Any], *, as_json: bool) -> int:
    removed = 0
    if chosen and not given["dry_run"]:
        noun = "run" if len(chosen) == 1 else "runs"
        question = f"Delete {len(chosen):,} {noun} with all steps and answers? This cannot be undone."
        ask_before(question, is_answered=given["yes"])
        # A run that continued while the question was open is kept, so fewer may be removed than were chosen.
        removed = workspace.memory.journal.remove(chosen)
    if as_json:
        print_json({"chosen": [row.run for row in chosen], "removed": removed})
    elif not given["dry_run"]:
        click.echo(f"deleted: {format_count(removed, 'run')}")
    return ExitCode.OK


def _show_runs(chosen: Sequence[RunRow], kept: Sequence[RunRow]) -> None:
    for row in chosen[:_MAX_LISTED]:
        click.echo(f"{row.run}  {show_hidden_line(row.workflow)}  {_read_state(row)}  {row.updated_at[:10]}")
    if len(chosen) > _MAX_LISTED:
        click.echo(f"and {len(chosen) - _MAX_LISTED:,} more")
    if kept:
        verb = "fits, but continued within the last hour, and is" if len(kept) == 1 else _KEPT
        click.echo(f"{format_count(len(kept), _name_state(kept))} {verb} kept")
    elif not chosen:
        click.echo("no run fits")


def _name_state(rows: Sequence[RunRow]) -> str:
    """Name runs by their state, if it is one: `open run`."""
    states = {_read_state(row) for row in rows}
    return f"{states.pop()} run" if len(states) == 1 else "run"


PRUNE = click.Command(
    "prune",
    params=[
        click.Option(
            ["--older-than"], metavar="AGE", help="Only runs that last continued before: 30d, 2w, 2026-01-31."
        ),
        click.Option(
            ["--state"],
            type=click.Choice(_STATES),
            multiple=True,
            help="Only runs in this state. [default: ended and failed] May be given several times.",
        ),
        click.Option(["--keep"], type=click.IntRange(0), help="Keep this many of the newest runs."),
        click.Option(["--dry-run"], is_flag=True, help="List the runs and delete nothing."),
        click.Option(["--yes"], is_flag=True, help="Do it without a question."),
        *build_common_options(),
    ],
    callback=_prune_runs,
    help="Delete old runs with their steps and answers. An open or waiting run that continued within the last hour may "
    "be running and is never deleted.",
)
