"""A tool becomes a command: its fields are the options, its output is rendered, its verdict is the exit code."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import common, opened, session_of
from aurora.cli.render.registry import show
from aurora.cli.terminal.progress import watching
from aurora.cli.terminal.stdin import piped, spooled
from aurora.tools.runtime import call_log as calllog
from aurora.tools.runtime.dispatch import invoke, toolbox

from .command_table import SPOKEN
from .options import arguments_of, parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .command_table import Word


_REVISION = re.compile(r"[^\s:]+:(?=.)")
"""What git calls a file as it was: `HEAD~1:workflows/tea.yaml`."""
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def build(words: str, word: Word) -> click.Command:
    """The command that runs this tool.

    Args:
        words: what the person types after `aur`.
        word: the tool, and which of its fields are given by position.
    """
    named = toolbox().find(word.tool)
    calllog.listen()  # silent, unless AURORA_LOG asks for the lines

    @click.pass_context
    def run(context: click.Context, /, **given: Any) -> int:
        session = session_of(context, given)
        tool = toolbox().find(_meant(word, given))
        with _streamed(_with_piped(arguments_of(given), word), word) as arguments:
            elsewhere = _paths(arguments, word) if word.anchor else ()
            with opened(session, elsewhere, reads=tool.risk == "read") as workspace, watching(session) as progress:
                output = invoke(workspace, tool.name, _from_here(arguments, word), progress=progress, surface="cli")
        return show(tool.name, output, as_json=session.json)

    return click.Command(
        words.rpartition(" ")[2],
        params=[*parameters(named.input, word.arguments), *_switches(word), *common()],
        callback=run,
        help=_spoken(named.description),
        short_help=word.help,
    )


def _switches(word: Word) -> list[click.Option]:
    return [click.Option([f"--{name}"], is_flag=True, help=told) for name, (_, told) in word.switches.items()]


def _meant(word: Word, given: dict[str, Any]) -> str:
    """The tool that the switches choose, taken out of what was given."""
    chosen = [tool for name, (tool, _) in word.switches.items() if given.pop(name)]
    return chosen[0] if chosen else word.tool


def _with_piped(arguments: dict[str, Any], word: Word) -> dict[str, Any]:
    """The arguments with standard input in place of a `-` among the files."""
    field = next((name for name in word.files if "-" in arguments.get(name, ())), None) if word.piped else None
    if field is None:
        return arguments
    others = [path for path in arguments[field] if path != "-"]
    return {**arguments, field: others, word.piped: piped()}


@contextmanager
def _streamed(arguments: dict[str, Any], word: Word) -> Iterator[dict[str, Any]]:
    """The arguments with what `-` stands for: a file that standard input was written to, or no file to write."""
    if word.target and arguments.get(word.target) == "-":
        yield {name: value for name, value in arguments.items() if name != word.target}
    elif word.source and arguments.get(word.source) == "-":
        with spooled() as path:
            yield {**arguments, word.source: str(path)}
    else:
        yield arguments


def _spoken(description: str) -> str:
    """A tool's description in a person's words."""
    for name, command in SPOKEN.items():
        description = description.replace(name, command)
    return description


def _paths(arguments: dict[str, Any], word: Word) -> tuple[str, ...]:
    """The paths among the arguments, as they were typed."""
    found: list[str] = []
    for field in word.files:
        value = arguments.get(field, [])
        found.extend(value if isinstance(value, list) else [value])
    return tuple(found)


def _from_here(arguments: dict[str, Any], word: Word) -> dict[str, Any]:
    """The arguments with their paths made absolute: a shell's count from its folder, a tool's from the project."""

    def absolute(path: str) -> str:
        revision = _REVISION.match(path)
        if revision and not Path(path).exists():
            return f"{revision[0]}{Path.cwd() / path[revision.end() :]}"
        # the name of a workflow stays a name, unless a file is called so
        name = _NAME.fullmatch(path) and not (word.source or word.target)
        return path if name and not Path(path).exists() else str(Path.cwd() / Path(path).expanduser())

    made = {
        field: [absolute(path) for path in arguments[field]]
        if isinstance(arguments[field], list)
        else absolute(arguments[field])
        for field in word.files
        if field in arguments
    }
    return {**arguments, **made}
