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
from aurora.tools.runtime import call_log as calllog
from aurora.tools.runtime import call_tool, get_registry

from .command_table import CLI_EQUIVALENTS
from .options import build_parameters, to_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .command_table import CommandSpec


_GIT_REVISION = re.compile(r"[^\s:]+:(?=.)")
"""What git calls a file as it was: `HEAD~1:workflows/tea.yaml`."""
_WORKFLOW_NAME = re.compile(r"[A-Za-z0-9_-]+")


def build_command(words: str, word: CommandSpec) -> click.Command:
    """The command that runs this tool.

    Args:
        words: what the person types after `aur`.
        word: the tool, and which of its fields are given by position.
    """
    named = get_registry().find(word.tool)
    calllog.configure_logging()  # silent, unless AURORA_LOG asks for the lines

    @click.pass_context
    def run(context: click.Context, /, **given: Any) -> int:
        session = take_common_options(context, given)
        tool = get_registry().find(_choose_tool(word, given))
        with _redirect_streams(_fill_from_stdin(to_arguments(given), word), word) as arguments:
            elsewhere = _collect_paths(arguments, word) if word.anchor else ()
            with (
                open_workspace(session, elsewhere, reads=tool.risk == "read") as workspace,
                track_progress(session) as progress,
            ):
                output = call_tool(
                    workspace, tool.name, _make_paths_absolute(arguments, word), progress=progress, surface="cli"
                )
        return show_output(tool.name, output, as_json=session.json)

    return click.Command(
        words.rpartition(" ")[2],
        params=[*build_parameters(named.input, word.arguments), *_build_switches(word), *build_common_options()],
        callback=run,
        help=_replace_tool_names(named.description),
        short_help=word.help,
    )


def _build_switches(word: CommandSpec) -> list[click.Option]:
    return [click.Option([f"--{name}"], is_flag=True, help=told) for name, (_, told) in word.switches.items()]


def _choose_tool(word: CommandSpec, given: dict[str, Any]) -> str:
    """The tool that the switches choose, taken out of what was given."""
    chosen = [tool for name, (tool, _) in word.switches.items() if given.pop(name)]
    return chosen[0] if chosen else word.tool


def _fill_from_stdin(arguments: dict[str, Any], word: CommandSpec) -> dict[str, Any]:
    """The arguments with standard input in place of a `-` among the files."""
    field = next((name for name in word.files if "-" in arguments.get(name, ())), None) if word.piped else None
    if field is None:
        return arguments
    others = [path for path in arguments[field] if path != "-"]
    return {**arguments, field: others, word.piped: read_stdin()}


@contextmanager
def _redirect_streams(arguments: dict[str, Any], word: CommandSpec) -> Iterator[dict[str, Any]]:
    """The arguments with what `-` stands for: a file that standard input was written to, or no file to write."""
    if word.target and arguments.get(word.target) == "-":
        yield {name: value for name, value in arguments.items() if name != word.target}
    elif word.source and arguments.get(word.source) == "-":
        with spool_stdin() as path:
            yield {**arguments, word.source: str(path)}
    else:
        yield arguments


def _replace_tool_names(description: str) -> str:
    """A tool's description in a person's words."""
    for name, command in CLI_EQUIVALENTS.items():
        description = description.replace(name, command)
    return description


def _collect_paths(arguments: dict[str, Any], word: CommandSpec) -> tuple[str, ...]:
    """The paths among the arguments, as they were typed."""
    found: list[str] = []
    for field in word.files:
        value = arguments.get(field, [])
        found.extend(value if isinstance(value, list) else [value])
    return tuple(found)


def _make_paths_absolute(arguments: dict[str, Any], word: CommandSpec) -> dict[str, Any]:
    """The arguments with their paths made absolute: a shell's count from its folder, a tool's from the project."""

    def make_absolute(path: str) -> str:
        revision = _GIT_REVISION.match(path)
        if revision and not Path(path).exists():
            return f"{revision[0]}{Path.cwd() / path[revision.end() :]}"
        # the name of a workflow stays a name, unless a file is called so
        name = _WORKFLOW_NAME.fullmatch(path) and not (word.source or word.target)
        return path if name and not Path(path).exists() else str(Path.cwd() / Path(path).expanduser())

    made = {
        field: [make_absolute(path) for path in arguments[field]]
        if isinstance(arguments[field], list)
        else make_absolute(arguments[field])
        for field in word.files
        if field in arguments
    }
    return {**arguments, **made}
