"""`aur workflow run`: a person walks a workflow, or a file of answers does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, open_workspace, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render import print_json
from aurora.faults import Code, Fault

from .hosts import InteractiveHost, ScriptedHost
from .loop import PendingPrompt, Walk, continue_walk, resume_walk, start_walk
from .prompt import InputEnded, Prompter
from .render import show_end, show_resume_hint
from .scripted import parse_typed_value, read_answers

if TYPE_CHECKING:
    from rich.console import Console

    from aurora.cli.context import CommonOptions
    from aurora.interpreter import Definition
    from aurora.tools.runtime import Workspace

    from .loop import Host


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    session = take_common_options(context, given)
    if given["run"] and (given["name"] or given["input"]):
        raise click.UsageError("a run that is taken up again knows its workflow and its inputs", context)
    with open_workspace(session) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "a walk is kept as a run, and nothing is written in read-only mode",
                help="`aur workflow step` runs one phase without a run.",
            )
        return _walk_workflow(workspace, session, given)


def _walk_workflow(workspace: Workspace, session: CommonOptions, given: dict[str, Any]) -> int:
    console = _make_walk_console(session)
    inputs: dict[str, Any] = {}
    asked: PendingPrompt | None = None
    if given["run"]:
        walk, call, definition, asked = resume_walk(workspace, given["run"])
    else:
        from aurora.tools.core import DEFAULT_WORKFLOW  # noqa: PLC0415 - help does not need it

        definition = workspace.workflows.load(given["name"] or DEFAULT_WORKFLOW)
        inputs = dict(_parse_input(pair, definition) for pair in given["input"])
        walk, call = start_walk(definition, inputs)
    host: Host
    if given["answers"]:
        host = ScriptedHost(read_answers(given["answers"], definition), inputs, None if session.json else console)
    else:
        host = InteractiveHost(Prompter(console), inputs, console)
    try:
        continue_walk(workspace, walk, call, asked, host)
    except (InputEnded, KeyboardInterrupt) as leaving:
        return _show_interruption(walk, session, console, interrupted=isinstance(leaving, KeyboardInterrupt))
    except Fault as fault:
        kept = f" The run is kept: aur workflow run --run {walk.run}" if walk.run else ""
        raise Fault(fault.code, fault.message, help=f"{fault.help}{kept}".strip(), details=fault.details) from None
    return _show_outcome(walk, session, console)


def _show_outcome(walk: Walk, session: CommonOptions, console: Console) -> int:
    if session.json:
        print_json(walk.to_json())
    elif walk.ended:
        show_end(walk, console)
    else:
        show_resume_hint(walk, console)
    return ExitCode.OK if walk.ended else ExitCode.PROBLEMS


def _show_interruption(walk: Walk, session: CommonOptions, console: Console, *, interrupted: bool) -> int:
    show_resume_hint(walk, console)
    if session.json:
        print_json(walk.to_json())
    return ExitCode.INTERRUPTED if interrupted else ExitCode.PROBLEMS


def _make_walk_console(session: CommonOptions) -> Console:
    """Standard output; beside JSON, what is said to the person goes to standard error."""
    from aurora.cli.terminal import PipeSafeConsole, make_console  # noqa: PLC0415 - as above

    if not session.json:
        return make_console()
    return PipeSafeConsole(file=sys.stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def _parse_input(text: str, definition: Definition) -> tuple[str, Any]:
    """`name=value`, the value as the schema of the first phase that has such an input wants it.

    Raises:
        Fault: INVALID_INPUT when no phase has it.
    """
    from aurora.interpreter.problems import did_you_mean, list_names  # noqa: PLC0415 - help does not need it

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
            help=did_you_mean(name[:80], known) or f"there are {list_names(known)}",
        )
    return name, parse_typed_value(value, known[name].json_schema)


COMMAND = click.Command(
    "run",
    params=[
        click.Argument(["name"], required=False, metavar="[NAME]"),
        click.Option(["--run"], metavar="ID", help="Go on with this run, where it was left."),
        click.Option(["--input"], multiple=True, metavar="NAME=VALUE", help="An input; may be repeated."),
        click.Option(
            ["--answers"],
            metavar="FILE",
            help="Answers by phase, as YAML or JSON; nobody is asked. - is standard input.",
        ),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Walk a workflow from its beginning to its end; you are the one who is asked. Without NAME: soar.",
)
