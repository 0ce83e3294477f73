"""Command of a tool: its fields become options, its output is shown, its success is the exit code."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import (
    build_common_options,
    get_typed_name,
    reject_broken_text,
    reject_empty,
    take_common_options,
)
from aurora.cli.exits import ExitCode
from aurora.cli.interaction import ask_before, read_stdin, spool_stdin, track_progress
from aurora.cli.project import open_workspace, relate_places, split_lines_place, to_project_pattern, to_project_place
from aurora.cli.render.printer import show_output
from aurora.errors import ArgumentFault, Code, Fault
from aurora.system.paths.resolve import path_exists
from aurora.tools.runtime import call_tool, configure_logging, get_registry

from .parameters import DescribedArgument, DescribedCommand, build_parameters, to_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.tools.core import Command, ProgressCallback, Tool
    from aurora.tools.runtime import Workspace

_GIT_REVISION = re.compile(r"[^\s:]+:(?=.)")
"""A file at a revision, as git names it: `HEAD~1:workflows/tea.yaml`."""

_TYPED_NAMES = {
    "aurora_get": "`aur mem get`",
    "aurora_query": "`aur workflow step`",
    "aurora_search": "`aur mem search`",
}
"""Name of a tool over MCP, as in descriptions -> the command that a person types."""

_USES_WORKFLOWS = frozenset({"workflow.test", "jobs.run"})
"""Tools that use what a person may have edited a moment ago: first, the changes are shown, and they are asked."""

_VALIDATES = "workflow.validate"
"""The tool after which, of a file without errors, they are asked the same."""

_WORKFLOW_NAME = re.compile(r"[A-Za-z0-9_-]+")


def build_command(name: str) -> click.Command:
    """Build the command of a tool from its declaration.

    Args:
        name: the tool's name.
    """
    declared = get_registry().find(name)
    command = declared.command
    if command is None:
        raise LookupError(f'the tool "{name}" has no command')
    configure_logging()  # silent, unless AURORA_LOG is set

    @click.pass_context
    def run(context: click.Context, /, **given: Any) -> int:
        options = take_common_options(context, given)
        reject_empty(context, given, "hosts", "only", *command.arguments)
        reject_broken_text(context, given)
        verbose = bool(given.pop("verbose", False)) if command.verbose else False
        if command.question:
            is_answered = bool(given.pop("yes"))
            if not command.question_field or given[command.question_field] is not None:
                ask_before(command.question, is_answered=is_answered)
        # A switch of a command is another tool, with its own risk: `doctor --fix` writes where `doctor` reads.
        tool = get_registry().find(_choose_tool(declared, command, given))
        with _redirect_streams(_fill_from_stdin(to_arguments(given), command), command) as arguments:
            paths = _collect_paths(arguments, command) if command.locates_project else ()
            with (
                open_workspace(options, paths, reads=tool.risk == "read") as workspace,
                track_progress(options) as progress,
                _explain_interruption(command),
            ):
                if tool.name in _USES_WORKFLOWS and not options.json:
                    _offer_changes(workspace)
                typed = _make_paths_absolute(_read_places(arguments, command, workspace.root), command)
                output = _call_tool(context, workspace, tool.name, typed, progress=progress)
        is_related = options.json or tool.name in _RELATED_HERE
        shown = output if is_related else relate_places(output, workspace.root)
        query = str(given.get("query") or "")
        # A list that a filter has emptied must not say that there is nothing yet, and how to begin.
        filtered = any(value not in (None, ()) for name, value in given.items() if name != "limit")
        code = show_output(tool.name, shown, as_json=options.json, query=query, verbose=verbose, filtered=filtered)
        if tool.name == _VALIDATES and code == ExitCode.OK and not options.json:
            with open_workspace(options, reads=True) as workspace:
                _offer_changes(workspace)
        return code

    return DescribedCommand(
        command.words.rpartition(" ")[2],
        params=[*_build_tool_parameters(declared, command), *_build_switches(command), *build_common_options()],
        callback=run,
        help=_replace_tool_names(declared.description),
        short_help=command.help,
    )


def _offer_changes(workspace: Workspace) -> None:
    from aurora.cli.trust import offer_changes  # noqa: PLC0415 - it loads the language; a search does not

    offer_changes(workspace)


_RELATED_HERE = frozenset({"workflow.fix", "workflow.list", "workflow.validate"})
"""Tools whose places are those of the current folder already, as the notes and labels in their output are."""


def _call_tool(
    context: click.Context,
    workspace: Workspace,
    name: str,
    arguments: dict[str, Any],
    *,
    progress: ProgressCallback,
) -> dict[str, Any]:
    """Call the tool; a fault of its arguments names them as they are typed."""
    try:
        return call_tool(workspace, name, arguments, progress=progress, surface="cli")
    except Fault as fault:
        raise to_typed_fault(fault, context) from None


def _build_tool_parameters(tool: Tool[Any, Any], command: Command) -> list[click.Parameter]:
    """Build the parameters of a tool's input, with the descriptions that are for a person."""
    parameters = build_parameters(tool.input, command.arguments, joins_words=command.joins_words)
    for one in parameters:
        if isinstance(one, DescribedArgument):
            one.description = command.argument_help.get(str(one.name), one.description)
    return parameters


def _build_switches(command: Command) -> list[click.Option]:
    switches = [click.Option([f"--{name}"], is_flag=True, help=one.help) for name, one in command.switches.items()]
    if command.verbose:
        switches.append(click.Option(["-v", "--verbose"], is_flag=True, help=command.verbose))
    if command.question:
        switches.append(click.Option(["--yes"], is_flag=True, help="Do it without a question."))
    return switches


@contextmanager
def _explain_interruption(command: Command) -> Iterator[None]:
    """Add to an interruption what it leaves."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(*filter(None, [command.interrupted])) from None


def _choose_tool(tool: Tool[Any, Any], command: Command, given: dict[str, Any]) -> str:
    """Take the switches out of `given` and return the name of the tool that they choose."""
    chosen = [switch.tool for name, switch in command.switches.items() if given.pop(name)]
    return chosen[0] if chosen else tool.name


def _fill_from_stdin(arguments: dict[str, Any], command: Command) -> dict[str, Any]:
    """Replace a `-` among the files by the text from standard input."""
    fields = [name for name in command.files if "-" in arguments.get(name, ())]
    if not command.stdin_text or not fields:
        return arguments
    field = fields[0]
    others = [path for path in arguments[field] if path != "-"]
    return {**arguments, field: others, command.stdin_text: read_stdin()}


@contextmanager
def _redirect_streams(arguments: dict[str, Any], command: Command) -> Iterator[dict[str, Any]]:
    """Replace `-` as a single file: by a file with standard input, or by no file for standard output."""
    if command.stdout_file and arguments.get(command.stdout_file) == "-":
        yield {name: value for name, value in arguments.items() if name != command.stdout_file}
    elif command.stdin_file and arguments.get(command.stdin_file) == "-":
        with spool_stdin() as path:
            yield {**arguments, command.stdin_file: str(path)}
    else:
        yield arguments


def _replace_tool_names(description: str) -> str:
    """Replace tool names by the commands that a person types."""
    for name, typed in _TYPED_NAMES.items():
        description = description.replace(name, typed)
    return description


def _collect_paths(arguments: dict[str, Any], command: Command) -> tuple[str, ...]:
    """Return the paths among the arguments, as typed."""
    found: list[str] = []
    for field in command.files:
        value = arguments.get(field, [])
        found.extend(value if isinstance(value, list) else [value])
    return tuple(found)


def _read_places(arguments: dict[str, Any], command: Command, root: Path) -> dict[str, Any]:
    """Replace places and patterns relative to the shell's folder by those from the project's root."""
    found = dict(arguments)
    for field in command.places:
        if isinstance(found.get(field), str):
            found[field] = to_project_place(found[field], root)
    if command.path_pattern and isinstance(found.get(command.path_pattern), str):
        found[command.path_pattern] = to_project_pattern(found[command.path_pattern], root)
    typed = found.get(command.opened_place) if command.opened_place else None
    return found | _read_opened_places(typed, command.opened_place, found, root) if typed else found


def _read_opened_places(typed: list[str], field: str, found: dict[str, Any], root: Path) -> dict[str, Any]:
    """Read ids and places: of a single place path and lines, which an option may give, too."""
    if found.get("path"):
        return {}
    places = [split_lines_place(one, root) for one in typed]
    if len(typed) == 1 and places[0] is not None:
        path, lines = places[0]
        return {field: [], "path": path} | ({"lines": lines} if lines and not found.get("lines") else {})
    return {field: [f"{at[0]}:{at[1]}".rstrip(":") if at else one for one, at in zip(typed, places, strict=True)]}


def _make_paths_absolute(arguments: dict[str, Any], command: Command) -> dict[str, Any]:
    """Make the paths absolute: a shell's are relative to its folder, a tool's to the project."""

    def make_absolute(path: str) -> str:
        revision = _GIT_REVISION.match(path)
        if revision and not path_exists(path):
            return f"{revision[0]}{Path.cwd() / path[revision.end() :]}"
        # a workflow's name stays a name, unless a file has it
        is_name = _WORKFLOW_NAME.fullmatch(path) and not (command.stdin_file or command.stdout_file)
        return path if is_name and not path_exists(path) else str(Path.cwd() / Path(path).expanduser())

    absolute = dict(arguments)
    for field in command.files:
        value = arguments.get(field)
        if isinstance(value, list):
            absolute[field] = [make_absolute(path) for path in value]
        elif value is not None:
            absolute[field] = make_absolute(value)
    return absolute


_EXAMPLES = {"lines": "a line or a range of lines, for example 10-40"}
"""Field with a pattern -> what it takes, in place of the regular expression."""

_QUOTED = re.compile(r'"([a-z_]+)"')

_EMPTY = re.compile(r"should have at least 1 character$")

_PATTERN = re.compile(r"should match pattern .*")


def to_typed_fault(fault: Fault, context: click.Context) -> Fault:
    """Return a fault of a tool's arguments with the names that a person types; any other fault unchanged."""
    if (
        fault.code is not Code.INVALID_INPUT or "total" not in fault.details
    ):  # faults that pydantic found have their number
        return fault
    names = _map_typed_names(context.command.params)
    message = fault.message.partition(": ")[2] or fault.message
    field = _QUOTED.match(message)
    if field and field[1] in _EXAMPLES:
        message = _PATTERN.sub(f"must be {_EXAMPLES[field[1]]}", message)
    message = _EMPTY.sub("is empty", message).removeprefix("the input is wrong: ")
    message = message.replace("given ", "give ", 1) if message.startswith("given ") else message
    message = _QUOTED.sub(lambda found: names.get(found[1], found[0]), message)
    help_ = f"Run `{context.command_path} --help` for its usage."
    return ArgumentFault(fault.code, message, help=help_, details=fault.details)


def _map_typed_names(params: Iterable[click.Parameter]) -> dict[str, str]:
    """Map each field to its option, or to the name of the argument in the usage."""
    return {str(one.name): get_typed_name(one) for one in params}
