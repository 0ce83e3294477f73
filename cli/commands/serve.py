"""Commands of the server over HTTP, and of its tokens."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora import serve
from aurora.cli.context import build_common_options, reject_empty, take_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.output import format_count
from aurora.cli.parser.groups import CommandGroup
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand
from aurora.cli.render.printer import print_json
from aurora.errors import Code, Fault, did_you_mean, list_names, show_hidden_line
from aurora.system.environment import read_flag
from aurora.tools.mcp.access import SCOPES

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions
    from aurora.serve import Token


@click.pass_context
def _serve_people(context: click.Context, /, **given: Any) -> None:
    if context.invoked_subcommand is not None:
        return
    reject_empty(context, given, "config", "listen", "public_url")
    settings = load_named_settings(given["config"])
    named = {name: given[name] for name in ("listen", "public_url", "workers") if given[name] is not None}
    serve.serve_projects(settings.model_validate({**settings.model_dump(), **named}))


def load_named_settings(config: str | None) -> serve.ServeSettings:
    """Load the settings of a named file, or of the default one.

    Raises:
        Fault: as `serve.load_settings`; NOT_FOUND without a home folder.
    """
    return serve.load_settings(Path(config) if config else _find_file())


def _find_file() -> Path:
    found = serve.find_serve_file()
    if found is None:
        raise Fault(Code.NOT_FOUND, "this account has no home folder", help="Name the file with --config.")
    return found


SERVE = CommandGroup(
    name="serve",
    prefix="serve",
    invoke_without_command=True,
    params=[
        click.Option(["--config"], metavar="FILE", help="The settings; by default serve.toml next to config.toml."),
        click.Option(["--listen"], metavar="ADDRESS", help="The address to listen on, as in 127.0.0.1:8320."),
        click.Option(["--public-url"], metavar="URL", help="The address by which clients reach the server."),
        click.Option(
            ["--workers"], type=click.IntRange(1, 64), metavar="N", help="Processes that share the work; 1 by default."
        ),
    ],
    callback=_serve_people,
    help="Serve projects over HTTP to many people, each with a token. The settings name the projects; "
    "docs/guide/serving.md shows a file.",
)


_DAY_SECONDS = 86_400.0

_DEFAULT_DAYS = 90

_PROJECT_NAME = re.compile(r"\*|[a-z0-9][a-z0-9_-]{0,62}")

_MAX_NAME = 100


@click.pass_context
def _add_token(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    name, projects = given["name"].strip(), tuple(dict.fromkeys(given["projects"]))
    if not name or len(name) > _MAX_NAME or not name.isprintable():
        raise click.UsageError(f"the name of who gets the token has 1 to {_MAX_NAME} visible characters", context)
    wrong = [one for one in projects if not _PROJECT_NAME.fullmatch(one)]
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
    # Standard output has the token alone, for a script to store; the note goes to standard error.
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
        # A token can be made before the server has settings. A file
        # that was named, or one that is wrong, is an error.
        if fault.code is Code.NOT_FOUND and not config:
            return
        raise
    unknown = next((name for name in projects if name != "*" and name not in known), None)
    if unknown is not None:
        near = did_you_mean(unknown, known) or f"it has {list_names(known)}"
        help_ = f"{near}; for a server with other settings, run `aur serve --config FILE token add`"
        raise Fault(Code.NOT_FOUND, f'the file "{path}" has no project "{unknown}"', help=help_)


def require_write(options: CommonOptions, effect: str) -> None:
    """Check that a command may change what the server reads.

    Raises:
        Fault: FORBIDDEN in read-only mode.
    """
    if options.read_only or read_flag("READ_ONLY"):
        message = f"{effect}, and read-only mode forbids writes"
        raise Fault(Code.FORBIDDEN, message, help="Leave out --read-only, or READ_ONLY in the environment.")


def describe_token(token: Token) -> dict[str, Any]:
    """Return what may be shown of a token as JSON."""
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "projects": list(token.projects),
        "created": _format_time(token.created),
        "expires": _format_time(token.expires) if token.expires is not None else None,
        "state": "expired" if token.is_expired(time.time()) else "valid",
    }


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


TOKEN_ADD = DescribedCommand(
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
    callback=_add_token,
    help="Make a token for NAME, a person or a program, and print it once. A server that runs accepts it at once.",
)


@click.pass_context
def _revoke_token(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    require_write(options, "a token would be removed")
    removed = serve.TokenStore(serve.find_token_file()).remove(given["id"])
    if removed is None:
        message = f'there is no token "{given["id"][:80]}"'
        raise Fault(Code.NOT_FOUND, message, help="`aur serve token list` lists the ids.")
    if options.json:
        print_json({"revoked": describe_token(removed)})
    else:
        click.echo(f"revoked: {removed.id} of {show_hidden_line(removed.name)}")
    return ExitCode.OK


TOKEN_REVOKE = DescribedCommand(
    "revoke",
    params=[
        DescribedArgument(["id"], metavar="ID", description="The id of the token, as `aur serve token list` shows it."),
        *(one for one in build_common_options() if one.name == "json_"),
    ],
    callback=_revoke_token,
    help="Revoke the token with this ID. A server that runs refuses it from the next request on.",
)


@click.pass_context
def _list_tokens(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    tokens = serve.TokenStore(serve.find_token_file()).read()
    if options.json:
        print_json({"tokens": [describe_token(token) for token in tokens]})
        return ExitCode.OK
    for token in tokens:
        shown = describe_token(token)
        projects = ", ".join(shown["projects"])
        click.echo(f"{token.id}  {shown['scope']:5}  {shown['state']:8}  {projects}  {show_hidden_line(token.name)}")
    click.echo(format_count(len(tokens), "token") if tokens else "no token; `aur serve token add` makes one")
    return ExitCode.OK


TOKEN_LIST = click.Command(
    "list",
    params=[*(one for one in build_common_options() if one.name == "json_")],
    callback=_list_tokens,
    help="List the tokens: id, scope, state, projects and name. Their secrets are not stored.",
)
