"""`aur workflow run`: run a workflow with a person or a file of answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import (
    build_common_options,
    reject_broken_text,
    reject_empty,
    reject_repeated_inputs,
    take_common_options,
)
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser import DescribedArgument, DescribedCommand, complete_value
from aurora.cli.project import open_workspace
from aurora.cli.render import print_json
from aurora.cli.terminal import PipeSafeConsole, make_console
from aurora.cli.trust_question import offer_changes
from aurora.faults import Code, Fault, did_you_mean, list_names
from aurora.tools.core import DEFAULT_WORKFLOW
from aurora.tools.trust import build_notice

from .file import FileWorkflows, is_file_name, load_workflow_file
from .hosts import InteractiveHost, ScriptedHost
from .loop import PendingPrompt, Walk, continue_walk, resume_walk, start_walk
from .prompt import EndOfInputError, Prompter
from .render import show_end, show_resume_hint
from .scripted import parse_typed_value, read_answers

if TYPE_CHECKING:
    from rich.console import Console

    from aurora.cli.context import CommonOptions
    from aurora.interpreter import Definition
    from aurora.interpreter.run import Workflows
    from aurora.tools.runtime import Workspace

    from .loop import Host


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    reject_empty(context, given, "name", "run", "answers")
    reject_repeated_inputs(context, given["input"])
    reject_broken_text(context, given)
    file = given["name"] if given["name"] and is_file_name(given["name"]) else None
    if given["run"] and (given["input"] or (given["name"] and not file)):
        raise click.UsageError(
            "--run continues a run with its own workflow and inputs: leave out NAME and --input", context
        )
    with open_workspace(options) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "the workflow is recorded as a run, and read-only mode forbids writes",
                help="`aur workflow step` runs one phase without a run.",
            )
        return _walk_workflow(workspace, options, given)


def _walk_workflow(workspace: Workspace, options: CommonOptions, given: dict[str, Any]) -> int:
    console = _make_walk_console(options)
    file = given["name"] if given["name"] and is_file_name(given["name"]) else None
    _offer_changes(workspace, file, options)
    inputs: dict[str, Any] = {}
    asked: PendingPrompt | None = None
    of_file = load_workflow_file(workspace, file) if file else None
    known = FileWorkflows(of_file, workspace) if of_file is not None else workspace.workflows
    if given["run"]:
        walk, call, definition, asked = resume_walk(workspace, given["run"], of_file)
    else:
        definition = of_file or workspace.workflows.load(given["name"] or DEFAULT_WORKFLOW)
        inputs = dict(_parse_input(pair, definition) for pair in given["input"])
        walk, call = start_walk(definition, inputs)
    _show_notice(workspace, console)  # after the refusal of a workflow that is itself not used
    if of_file is not None:
        walk.file = given["name"]
        walk.engine = workspace.build_engine(known)
    host = _choose_host(given["answers"], definition, known, inputs=inputs, options=options, console=console)
    try:
        continue_walk(workspace, walk, call, asked, host)
    except (EndOfInputError, KeyboardInterrupt) as error:
        return _show_interruption(walk, options, console, interrupted=isinstance(error, KeyboardInterrupt))
    except Fault as fault:
        hint = f" Continue the run with: {walk.format_command()}" if walk.run else ""
        raise Fault(fault.code, fault.message, help=f"{fault.help}{hint}".strip(), details=fault.details) from None
    return _show_outcome(walk, options, console)


def _offer_changes(workspace: Workspace, file: str | None, options: CommonOptions) -> None:
    """Ask whether to use what the person has changed."""
    if not options.json:
        offer_changes(workspace, [(Path.cwd() / Path(file).expanduser()).resolve()] if file else ())


def _show_notice(workspace: Workspace, console: Console) -> None:
    """Report what of the folder is not used."""
    if notice := build_notice(workspace):
        console.print(notice, style="yellow", soft_wrap=True)


def _choose_host(  # noqa: PLR0913 - what a host asks and shows
    answers: str | None,
    definition: Definition,
    known: Workflows,
    *,
    inputs: dict[str, Any],
    options: CommonOptions,
    console: Console,
) -> Host:
    """Return the answers that were given as a host, or the person."""
    if answers:
        return ScriptedHost(read_answers(answers, definition, known.load), inputs, None if options.json else console)
    return InteractiveHost(Prompter(console), inputs, console)


def _show_outcome(walk: Walk, options: CommonOptions, console: Console) -> int:
    if options.json:
        print_json(walk.to_json())
    elif walk.ended:
        show_end(walk, console)
    else:
        show_resume_hint(walk, console)
    return ExitCode.OK if walk.ended and not walk.failed else ExitCode.PROBLEMS


def _show_interruption(walk: Walk, options: CommonOptions, console: Console, *, interrupted: bool) -> int:
    show_resume_hint(walk, console)
    if options.json:
        print_json(walk.to_json())
    return ExitCode.INTERRUPTED if interrupted else ExitCode.PROBLEMS


def _make_walk_console(options: CommonOptions) -> Console:
    """Return standard output; with JSON, messages for the person go to standard error."""
    if not options.json:
        return make_console()
    return PipeSafeConsole(file=sys.stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def _parse_input(text: str, definition: Definition) -> tuple[str, Any]:
    """Parse `name=value`, the value by the schema of the first phase with such an input.

    Raises:
        Fault: INVALID_INPUT when no phase has such an input.
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.UsageError(f'--input takes NAME=VALUE, not "{text[:80]}"', click.get_current_context())
    flow = definition.workflow
    known = {one: spec for phase in reversed(flow.phases.values()) for one, spec in phase.inputs.items()}
    known |= flow.phases[flow.map_phase_names()[flow.start]].inputs
    if name not in known:
        raise Fault(
            Code.INVALID_INPUT,
            f'no phase of workflow "{flow.name}" has an input "{name[:80]}"',
            help=did_you_mean(name[:80], known) or f"inputs: {list_names(known)}",
        )
    return name, parse_typed_value(value, known[name].json_schema)


COMMAND = DescribedCommand(
    "run",
    params=[
        DescribedArgument(
            ["name"],
            required=False,
            metavar="[NAME|FILE]",
            shell_complete=complete_value,
            description="The workflow, by its name or its file; by default soar.",
        ),
        click.Option(
            ["--run"], metavar="ID", shell_complete=complete_value, help="Continue this run; `last` is the newest."
        ),
        click.Option(["--input"], multiple=True, metavar="NAME=VALUE", help="An input; may be repeated."),
        click.Option(
            ["--answers"],
            metavar="JSON|FILE",
            help="Answers by phase, instead of questions: a JSON object, or a YAML or JSON file; - is standard input.",
        ),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Run a workflow from start to end and answer its prompts yourself: one of the project by its name, or that "
    "of any file. Without NAME: soar.",
)
