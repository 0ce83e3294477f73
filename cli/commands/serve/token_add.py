"""`aur serve token add`: make a token, and show it once."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import click

from aurora import serve
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.render.registry import print_json
from aurora.faults import Code, Fault, did_you_mean, list_names
from aurora.tools.mcp.access import SCOPES

from .server import require_write
from .token_list import describe_token

_DAY_SECONDS = 86_400.0
_DEFAULT_DAYS = 90
_PROJECT = re.compile(r"\*|[a-z0-9][a-z0-9_-]{0,62}")
_MAX_NAME = 100


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    name, projects = given["name"].strip(), tuple(dict.fromkeys(given["projects"]))
    if not name or len(name) > _MAX_NAME or not name.isprintable():
        raise click.UsageError(f"the name of who gets the token has 1 to {_MAX_NAME} visible characters", context)
    wrong = [one for one in projects if not _PROJECT.fullmatch(one)]
    if wrong:
        message = f'"{wrong[0][:80]}" is no name of a project: lower-case letters, digits, - and _, or * for all'
        raise click.UsageError(message, context)
    require_write(options, "a token would be stored")
    _check_projects(projects, _find_config(context))
    now = time.time()
    expires = None if given["days"] == 0 else now + given["days"] * _DAY_SECONDS
    made = serve.create_token(name, given["scope"], projects, now, expires)
    serve.TokenStore(serve.find_token_file()).add(made.token)
    if options.json:
        print_json({**describe_token(made.token), "token": made.text})
        return ExitCode.OK
    click.echo(made.text)
    click.echo("This is the only time that the token is shown. The server stores its hash.", err=True)
    return ExitCode.OK


def _find_config(context: click.Context) -> str | None:
    """Return the file that `aur serve --config FILE` names before the words of this command."""
    parent = context.parent
    while parent is not None and "config" not in parent.params:
        parent = parent.parent
    return parent.params["config"] if parent is not None else None


def _check_projects(projects: tuple[str, ...], config: str | None) -> None:
    """Check that the server has the projects, where there are settings of one.

    Raises:
        Fault: NOT_FOUND for an unknown project; the faults of settings that cannot be read.
    """
    path = Path(config) if config else serve.find_serve_file()
    if path is None:
        return
    try:
        known = serve.load_settings(path).projects
    except Fault as fault:
        if fault.code is Code.NOT_FOUND and not config:
            return
        raise
    unknown = next((name for name in projects if name != "*" and name not in known), None)
    if unknown is not None:
        near = did_you_mean(unknown, known) or f"it has {list_names(known)}"
        help_ = f"{near}; for a server with other settings, run `aur serve --config FILE token add`"
        raise Fault(Code.NOT_FOUND, f'the file "{path}" has no project "{unknown}"', help=help_)


COMMAND = DescribedCommand(
    "add",
    params=[
        DescribedArgument(
            ["name"], metavar="NAME", description="The name of the person or program that gets the token."
        ),
        click.Option(
            ["--project", "projects"],
            multiple=True,
            required=True,
            metavar="NAME",
            help="A project of the server, or '*' for all. May be given several times.",
        ),
        click.Option(
            ["--scope"],
            type=click.Choice(SCOPES),
            default="read",
            help="read keeps no runs; write adds to them and to the memory; admin may delete. [default: read]",
        ),
        click.Option(
            ["--days"],
            type=click.IntRange(0, 3650),
            default=_DEFAULT_DAYS,
            help=f"Days until it expires; 0 for never. [default: {_DEFAULT_DAYS}]",
        ),
        *(one for one in build_common_options() if one.name == "json_"),
    ],
    callback=_run_command,
    help="Make a token for NAME, a person or a program, and print it once. A server that runs accepts it at once.",
)
