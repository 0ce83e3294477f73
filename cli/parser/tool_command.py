"""A tool becomes a command: its fields are the options, its output is rendered, its verdict is the exit code."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options, open_workspace, take_common_options
from aurora.cli.render import show_output
from aurora.cli.terminal import read_stdin, spool_stdin, track_progress
from aurora.tools.runtime import call_tool, configure_logging, get_registry

from .options import build_parameters, to_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.core import Command, Tool


_GIT_REVISION = re.compile(r"[^\s:]+:(?=.)")
"""What git calls a file as it was: `HEAD~1:workflows/tea.yaml`."""
_TYPED_NAMES = {
    "aurora_get": "`aur mem get`",
    "aurora_query": "`aur workflow step`",
    "aurora_search": "`aur mem search`",
}
"""Name of a tool over MCP, as descriptions have it -> what a person types for it."""
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
    configure_logging()  # silent, unless AURORA_LOG asks for the lines

    @click.pass_context
    def run(context: click.Context, /, **given: Any) -> int:
        session = take_common_options(context, given)
        tool = get_registry().find(_choose_tool(declared, command, given))
        with _redirect_streams(_fill_from_stdin(to_arguments(given), command), command) as arguments:
            elsewhere = _collect_paths(arguments, command) if command.locates_project else ()
            with (
                open_workspace(session, elsewhere, reads=tool.risk == "read") as workspace,
                track_progress(session) as progress,
            ):
                output = call_tool(
                    workspace, tool.name, _make_paths_absolute(arguments, command), progress=progress, surface="cli"
                )
        return show_output(tool.name, output, as_json=session.json)

    return click.Command(
        command.words.rpartition(" ")[2],
        params=[
            *build_parameters(declared.input, command.arguments),
            *_build_switches(command),
            *build_common_options(),
        ],
        callback=run,
        help=_replace_tool_names(declared.description),
        short_help=command.help,
    )


def _build_switches(command: Command) -> list[click.Option]:
    return [click.Option([f"--{name}"], is_flag=True, help=switch.help) for name, switch in command.switches.items()]


def _choose_tool(tool: Tool[Any, Any], command: Command, given: dict[str, Any]) -> str:
    """The tool that the switches choose, taken out of what was given."""
    chosen = [switch.tool for name, switch in command.switches.items() if given.pop(name)]
    return chosen[0] if chosen else tool.name


def _fill_from_stdin(arguments: dict[str, Any], command: Command) -> dict[str, Any]:
    """The arguments with standard input in place of a `-` among the files."""
    field = (
        next((name for name in command.files if "-" in arguments.get(name, ())), None) if command.stdin_text else None
    )
    if field is None:
        return arguments
    others = [path for path in arguments[field] if path != "-"]
    return {**arguments, field: others, command.stdin_text: read_stdin()}


@contextmanager
def _redirect_streams(arguments: dict[str, Any], command: Command) -> Iterator[dict[str, Any]]:
    """The arguments with what `-` stands for: a file that standard input was written to, or no file to write."""
    if command.stdout_file and arguments.get(command.stdout_file) == "-":
        yield {name: value for name, value in arguments.items() if name != command.stdout_file}
    elif command.stdin_file and arguments.get(command.stdin_file) == "-":
        with spool_stdin() as path:
            yield {**arguments, command.stdin_file: str(path)}
    else:
        yield arguments


def _replace_tool_names(description: str) -> str:
    """A tool's description in a person's words."""
    for name, typed in _TYPED_NAMES.items():
        description = description.replace(name, typed)
    return description


def _collect_paths(arguments: dict[str, Any], command: Command) -> tuple[str, ...]:
    """The paths among the arguments, as they were typed."""
    found: list[str] = []
    for field in command.files:
        value = arguments.get(field, [])
        found.extend(value if isinstance(value, list) else [value])
    return tuple(found)


def _make_paths_absolute(arguments: dict[str, Any], command: Command) -> dict[str, Any]:
    """The arguments with their paths made absolute: a shell's count from its folder, a tool's from the project."""

    def make_absolute(path: str) -> str:
        revision = _GIT_REVISION.match(path)
        if revision and not Path(path).exists():
            return f"{revision[0]}{Path.cwd() / path[revision.end() :]}"
        # the name of a workflow stays a name, unless a file is called so
        name = _WORKFLOW_NAME.fullmatch(path) and not (command.stdin_file or command.stdout_file)
        return path if name and not Path(path).exists() else str(Path.cwd() / Path(path).expanduser())

    made = {
        field: [make_absolute(path) for path in arguments[field]]
        if isinstance(arguments[field], list)
        else make_absolute(arguments[field])
        for field in command.files
        if field in arguments
    }
    return {**arguments, **made}
