"""`aur runs approve`: show the question of a run, and ask the person at the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli import walk
from aurora.cli.context import build_common_options, reject_broken_text, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.parser.options import complete_value
from aurora.cli.project import open_workspace
from aurora.cli.render.registry import print_json
from aurora.cli.terminal import make_console
from aurora.faults import Code, Fault, show_hidden_line
from aurora.interpreter.run.call import PersonReply
from aurora.interpreter.schema.validate import find_faults
from aurora.tools import runs, runtime

if TYPE_CHECKING:
    from aurora.cli.walk import Prompter
    from aurora.tools.runs import PersonQuestion
    from aurora.tools.runtime import Workspace

_HOW = "terminal"


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    reject_broken_text(context, given)
    if given["decline"] and given["set"]:
        raise click.UsageError("--decline and --set exclude each other", context)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    with open_workspace(options, reads=given["run"] is None) as workspace:
        if given["run"] is None:
            return _list_waiting(workspace, as_json=options.json)
        _require_terminal()
        question = runs.find_question(workspace, runs.resolve_run_id(workspace, given["run"]))
        return _ask_person(workspace, question, given, walk.Prompter(make_console()))


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


def _require_terminal() -> None:
    """Refuse to ask where no person sits: a program could answer.

    Raises:
        Fault: FORBIDDEN if standard input or output is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = "not a terminal: only a person can answer this, and a pipe or a script is none"
        raise Fault(Code.FORBIDDEN, message, help="Run it yourself in a terminal; there is no option that skips this.")


def _ask_person(workspace: Workspace, question: PersonQuestion, given: dict[str, Any], prompter: Prompter) -> int:
    prompter.print_line(f"run {question.run} of {question.workflow} asks:", "bold")
    prompter.print_line(f"\n{question.message}\n")
    try:
        content = None if given["decline"] else _read_content(question, given["set"], prompter)
        if not _confirm(prompter, declines=content is None):
            prompter.print_line("Nothing is sent; the run waits on.")
            return ExitCode.PROBLEMS
    except walk.EndOfInputError:
        prompter.print_line("\nNothing is sent; the run waits on.")
        return ExitCode.PROBLEMS
    reply = PersonReply(content is not None, _HOW, runs.name_user())
    return _send_reply(workspace, question, reply, content, prompter)


def _read_content(question: PersonQuestion, pairs: tuple[str, ...], prompter: Prompter) -> dict[str, Any]:
    """Take the fields from the command line, and ask for the others."""
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
    parsed = walk.parse_typed_value(value, question.fields[name])
    if faults := find_faults(parsed, question.fields[name], name):
        message = "; ".join(f"{fault['path']} {fault['message']}" for fault in faults)
        raise Fault(Code.INVALID_INPUT, f"--set does not fit the form: {message}", help="Leave it out to be asked.")
    return name, parsed


def _confirm(prompter: Prompter, *, declines: bool) -> bool:
    question = "Decline? [y/N] " if declines else "Send this as your answer? [y/N] "
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


COMMAND = DescribedCommand(
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
    callback=_run_command,
    help="Answer the question of a run that waits for you: read the message, fill in its form, and confirm. Without "
    "RUN, list the runs that wait; `last` is the newest run. It needs a terminal, so that no script answers for you.",
)
