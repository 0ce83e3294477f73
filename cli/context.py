"""Options that every command accepts: the project, the output format, read-only mode."""

from __future__ import annotations

from typing import Any, NamedTuple

import click


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
    """Take the common options out of `given`; those after the command override those before it."""
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
    for name in ("project", "json_", "read_only"):
        given.pop(name, None)
    return options
