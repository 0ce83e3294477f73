"""Parameters of a command from its tool's input, and help that describes them with examples."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import click

from .command_table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click.shell_completion import CompletionItem
    from pydantic import BaseModel

    from aurora.tools.core import Command, Example, Tool

Schema = dict[str, Any]


_MAX_CHOICES_WIDTH = 72
"""Maximum width of the choices in a line of help; the error for a wrong choice lists all."""


class JsonParamType(click.ParamType[Any]):
    """Parameter type of a JSON value."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value, or fail with a usage error."""
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            self.fail(f"this is not JSON: {error}", param, ctx)


def complete_value(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a value of any parameter; only a completion loads what knows the names."""
    from aurora.cli.parser.completion import complete_parameter  # noqa: PLC0415 - it loads workflows, runs and assistants

    return complete_parameter(context.command_path.partition(" ")[2], context, parameter, incomplete)


def build_parameters(
    model: type[BaseModel], positional: tuple[str, ...], *, joins_words: bool = False
) -> list[click.Parameter]:
    """Build the click parameters of a tool's input.

    Args:
        model: the tool's input.
        positional: the fields that are given by position, in this order; every other field is an option.
        joins_words: a text that is given by position may be several words of the command line.
    """
    whole = model.model_json_schema()
    required = set(whole.get("required", ()))
    fields = {name: _resolve_schema(schema, whole) for name, schema in whole.get("properties", {}).items()}
    for name, spec in model.model_fields.items():  # a title is the longer text, for people
        if spec.title:
            fields[spec.alias or name]["description"] = spec.title
    arguments: list[click.Parameter] = [
        _build_argument(name, fields[name], required=name in required, joins_words=joins_words) for name in positional
    ]
    options = [
        _build_option(name, schema, required=name in required)
        for name, schema in fields.items()
        if name not in positional
    ]
    return [*arguments, *options]


def to_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tool's arguments; those that were not given are left to the tool's defaults."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value != ()
    }


def _resolve_schema(schema: Schema, whole: Schema) -> Schema:
    """Resolve `$ref` and drop `null`; where one value or a list is accepted, prefer the list."""
    merged: Schema = dict(schema)
    if "$ref" in merged:
        merged |= whole["$defs"][merged.pop("$ref").rpartition("/")[2]]
    branches = [_resolve_schema(branch, whole) for branch in merged.pop("anyOf", ()) if branch.get("type") != "null"]
    if branches:
        chosen = next((branch for branch in branches if branch.get("type") == "array"), branches[0])
        merged = {**chosen, **merged}
    if isinstance(merged.get("items"), dict):
        merged["items"] = _resolve_schema(merged["items"], whole)
    return merged


def _join_words(_context: click.Context, _parameter: click.Parameter, words: Any) -> Any:
    """Join the words of a text that was typed without quotes."""
    return " ".join(words) if words else None


def _build_argument(name: str, schema: Schema, *, required: bool, joins_words: bool) -> DescribedArgument:
    many = schema.get("type") == "array"
    item = schema.get("items", {}) if many else schema
    metavar = name.upper().removesuffix("S") + "..." if many else name.upper()
    return DescribedArgument(
        [name],
        description=schema.get("description", ""),
        type=_choose_param_type(item),
        nargs=-1 if many or joins_words else 1,
        callback=_join_words if joins_words else None,
        required=required,
        metavar=metavar if required else f"[{metavar}]",
        shell_complete=complete_value,
    )


def _build_option(name: str, schema: Schema, *, required: bool) -> click.Option:
    many = schema.get("type") == "array"
    dashed = name.replace("_", "-")
    boolean = schema.get("type") == "boolean"
    default = schema.get("default")
    text = schema.get("description", "")
    if default not in (None, [], "", False):
        text += f" [default: {', '.join(map(str, default)) if isinstance(default, list) else default}]"
    kind = None if boolean else _choose_param_type(schema.get("items", {}) if many else schema)
    crowded = isinstance(kind, click.Choice) and len("|".join(kind.choices)) > _MAX_CHOICES_WIDTH
    is_switch = boolean and not default  # what is off can only be put on
    return click.Option(
        [f"--{dashed}/--no-{dashed}" if boolean and not is_switch else f"--{dashed}", name],
        is_flag=is_switch or None,
        type=kind,
        shell_complete=complete_value,
        metavar=name.upper() if crowded else None,
        multiple=many,
        required=required,
        # The tool has the default; what is left out here is left to it.
        default=None,
        help=text.strip() + (" May be given several times." if many else ""),
    )


def _choose_param_type(schema: Schema) -> click.ParamType[Any]:
    """Return the type that click checks; the tool checks the rest."""
    if "enum" in schema:
        return click.Choice([str(choice) for choice in schema["enum"] if choice is not None])
    kind = schema.get("type", "string")
    if kind == "integer":
        return click.IntRange(schema.get("minimum"), schema.get("maximum"))
    if kind == "number":
        return click.FloatRange(schema.get("minimum"), schema.get("maximum"))
    return click.STRING if kind == "string" else JsonParamType()


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
