"""Commands whose help describes the arguments and shows examples, as COMMANDS.md does."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from .command_table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.core import Command, Example, Tool

_EXTRA_OPTIONS = {"init": ("--yes",)}
"""Options of a command besides its tool's arguments, so that it asks nothing."""


class DescribedArgument(click.Argument):
    """Argument with a description for the help.

    Args:
        declarations: as for `click.Argument`.
        description: what the argument is.
        settings: as for `click.Argument`.

    Attributes:
        description: what the argument is.
    """

    def __init__(self, declarations: Sequence[str], *, description: str, **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.description = description


class DescribedCommand(click.Command):
    """Command whose help has the sections of its arguments and of its tool's examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments before the options, and the examples after them."""
        arguments = [one for one in self.get_params(ctx) if isinstance(one, DescribedArgument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(one.make_metavar(ctx), one.description) for one in arguments])
        super().format_options(ctx, formatter)
        examples = [*_list_examples(ctx.command_path.partition(" ")[2])]
        if examples:
            with formatter.section("Examples"):
                indent = " " * formatter.current_indent
                formatter.write("".join(f"{indent}{line}\n" for line in examples))


def _list_examples(words: str) -> Iterator[str]:
    """Yield the examples of a command's tool; none for a command without a tool."""
    if words not in COMMANDS:
        return
    from aurora.tools.runtime import get_registry  # noqa: PLC0415 - only help loads the tool of a command with own code

    yield from format_examples(get_registry().find(COMMANDS[words][0]))


def format_examples(tool: Tool[Any, Any]) -> Iterator[str]:
    """Yield the examples of a tool as lines to type, each with its title as a comment."""
    if tool.command is None:
        return
    for example in tool.examples:
        yield f"{format_example(tool.command, example)}  # {example.title[:1].lower()}{example.title[1:]}"


def format_example(command: Command, example: Example) -> str:
    """Return the example as a person types it."""
    words = command.words
    is_asked = command.question and (not command.question_field or command.question_field in example.arguments)
    line = ["aur", *words.split(), *_EXTRA_OPTIONS.get(words, ()), *(["--yes"] if is_asked else ())]
    for name, value in example.arguments.items():
        line += _format_words(command, name, value)
    return shlex.join(line)


def _format_words(command: Command, name: str, value: Any) -> Iterator[str]:
    """Yield the words of the command line for one argument of the tool."""
    option = name.replace("_", "-")
    if isinstance(value, bool):
        yield f"--{option}" if value else f"--no-{option}"
        return
    for item in value if isinstance(value, list | tuple) else [value]:
        if name in command.arguments:
            yield str(item)
        elif command.words == "workflow step":
            yield from ("--input", f"{name}={item}")
        else:
            yield from (f"--{option}", str(item))
