"""Options that every command accepts: the project, the output format, read-only mode."""

from __future__ import annotations

from typing import Any, NamedTuple

import click
from click.core import ParameterSource


class CommonOptions(NamedTuple):
    """Common options of a command line.

    Attributes:
        project: the folder given by `--project`, or None to find it from the current folder.
        json: print the output as JSON and nothing else.
        read_only: refuse every write.
    """

    project: str | None
    json: bool
    read_only: bool


def build_common_options() -> list[click.Parameter]:
    """Return the options that are accepted before and after a command."""
    return [
        click.Option(["--project"], metavar="DIR", help="The project; by default the one that contains this folder."),
        click.Option(["--json", "json_"], is_flag=True, help="Print the output as JSON and nothing else."),
        click.Option(["--read-only"], is_flag=True, help="Refuse every write, like READ_ONLY=1."),
    ]


def take_common_options(context: click.Context, given: dict[str, Any]) -> CommonOptions:
    """Take the common options out of `given`; those after the command override those before it.

    Every command takes them, so this is also where each text that was given as nothing is rejected.
    """
    # Each group has the common options too, so that they may stand before the command or after it.
    chain = [given]
    parent = context.parent
    while parent is not None:
        chain.append(parent.params)
        parent = parent.parent
    options = CommonOptions(
        project=next((values["project"] for values in chain if values.get("project") is not None), None),
        json=any(values.get("json_") for values in chain),
        read_only=any(values.get("read_only") for values in chain),
    )
    if options.project is not None and not options.project.strip():  # an unset variable of the shell
        raise click.UsageError("--project is empty", context)
    _reject_empty_texts(context)
    for name in ("project", "json_", "read_only"):
        given.pop(name, None)
    return options


def _reject_empty_texts(context: click.Context) -> None:
    """Reject each text of the command line that is empty; a default that is empty was not given."""
    for one in context.command.params:
        is_given = context.get_parameter_source(str(one.name)) is ParameterSource.COMMANDLINE
        if not is_given or one.type is not click.STRING:
            continue
        value = context.params.get(str(one.name))
        texts = [value] if isinstance(value, str) else list(value or ())
        if any(not text.strip() for text in texts):
            raise click.UsageError(f"{get_typed_name(one)} is empty", context)


def get_typed_name(one: click.Parameter) -> str:
    """Return an option, or the name of an argument in the usage."""
    return one.opts[0] if isinstance(one, click.Option) else str(one.metavar).strip("[].")


def reject_empty(context: click.Context, given: dict[str, Any], *names: str) -> None:
    """Reject lists without a name in them, such as `,`; `take_common_options` rejects what is empty.

    Args:
        context: the command line.
        given: its values.
        names: the parameters that must have a name when they are given.
    """
    titles = {one.name: get_typed_name(one) for one in context.command.params}
    for name in names:
        value = given.get(name)
        texts = [value] if isinstance(value, str) else list(value or ())
        if any(not text.replace(",", " ").strip() for text in texts):
            raise click.UsageError(f"{titles.get(name)} is empty", context)


def reject_broken_text(context: click.Context, given: dict[str, Any]) -> None:
    """Reject a text of the command line that is not UTF-8, which no JSON can contain."""
    for value in given.values():
        for text in [value] if isinstance(value, str) else value if isinstance(value, tuple) else ():
            try:
                str(text).encode("utf-8")
            except UnicodeEncodeError:
                shown = str(text)[:80].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
                message = f'"{shown}" is not UTF-8: type it again; a file of such a name needs another one'
                raise click.UsageError(message, context) from None


def reject_repeated_inputs(context: click.Context, pairs: tuple[str, ...]) -> None:
    """Reject two values for one input.

    Args:
        context: the command line.
        pairs: `NAME=VALUE` each.
    """
    names = [pair.partition("=")[0] for pair in pairs]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise click.UsageError(f'--input "{repeated[:80]}" is given twice', context)
