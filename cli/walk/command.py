"""`aur workflow run`: a person walks a workflow, or a file of answers does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import common, opened, session_of
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render.registry import print_json
from aurora.faults import Code, Fault

from .hosts import File, Person
from .loop import Asked, Walk, begun, go, resumed
from .prompt import Asker, Left
from .render import show_end, show_left
from .scripted import read_answers, typed

if TYPE_CHECKING:
    from rich.console import Console

    from aurora.cli.context import Session
    from aurora.interpreter import Definition
    from aurora.tools.runtime.workspace import Workspace

    from .loop import Host


@click.pass_context
def _walk(context: click.Context, /, **given: Any) -> int:
    session = session_of(context, given)
    if given["run"] and (given["name"] or given["input"]):
        raise click.UsageError("a run that is taken up again knows its workflow and its inputs", context)
    with opened(session) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "a walk is kept as a run, and nothing is written in read-only mode",
                help="`aur workflow step` runs one phase without a run.",
            )
        return _walked(workspace, session, given)


def _walked(workspace: Workspace, session: Session, given: dict[str, Any]) -> int:
    console = _console(session)
    inputs: dict[str, Any] = {}
    asked: Asked | None = None
    if given["run"]:
        walk, call, definition, asked = resumed(workspace, given["run"])
    else:
        from aurora.tools.core.project import DEFAULT_WORKFLOW  # noqa: PLC0415 - help does not need it

        definition = workspace.workflows.load(given["name"] or DEFAULT_WORKFLOW)
        inputs = dict(_named(pair, definition) for pair in given["input"])
        walk, call = begun(definition, inputs)
    host: Host
    if given["answers"]:
        host = File(read_answers(given["answers"], definition), inputs, None if session.json else console)
    else:
        host = Person(Asker(console), inputs, console)
    try:
        go(workspace, walk, call, asked, host)
    except (Left, KeyboardInterrupt) as leaving:
        return _left(walk, session, console, interrupted=isinstance(leaving, KeyboardInterrupt))
    except Fault as fault:
        kept = f" The run is kept: aur workflow run --run {walk.run}" if walk.run else ""
        raise Fault(fault.code, fault.message, help=f"{fault.help}{kept}".strip(), details=fault.details) from None
    return _told(walk, session, console)


def _told(walk: Walk, session: Session, console: Console) -> int:
    if session.json:
        print_json(walk.as_json())
    elif walk.ended:
        show_end(walk, console)
    else:
        show_left(walk, console)
    return ExitCode.OK if walk.ended else ExitCode.PROBLEMS


def _left(walk: Walk, session: Session, console: Console, *, interrupted: bool) -> int:
    show_left(walk, console)
    if session.json:
        print_json(walk.as_json())
    return ExitCode.INTERRUPTED if interrupted else ExitCode.PROBLEMS


def _console(session: Session) -> Console:
    """Standard output; beside JSON, what is said to the person goes to standard error."""
    from aurora.cli.terminal.console import console  # noqa: PLC0415 - as above
    from aurora.cli.terminal.rich_console import Paper  # noqa: PLC0415 - help does without rich

    if not session.json:
        return console()
    return Paper(file=sys.stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def _named(text: str, definition: Definition) -> tuple[str, Any]:
    """`name=value`, the value as the schema of the first phase that has such an input wants it.

    Raises:
        Fault: INVALID_INPUT when no phase has it.
    """
    from aurora.interpreter.problems.suggestions import did_you_mean, listed  # noqa: PLC0415 - help does not need it

    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.UsageError(f'--input takes NAME=VALUE, not "{text[:80]}"', click.get_current_context())
    flow = definition.workflow
    known = {one: spec for phase in reversed(flow.phases.values()) for one, spec in phase.inputs.items()}
    known |= flow.phases[flow.names()[flow.start]].inputs
    if name not in known:
        raise Fault(
            Code.INVALID_INPUT,
            f'no phase of workflow "{flow.name}" has an input "{name[:80]}"',
            help=did_you_mean(name[:80], known) or f"there are {listed(known)}",
        )
    return name, typed(value, known[name].json_schema)


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
        *common(),
    ],
    callback=_walk,
    help="Walk a workflow from its beginning to its end; you are the one who is asked. Without NAME: soar.",
)
