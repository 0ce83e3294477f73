"""`aur serve token list`: the tokens, without their secrets."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from aurora import serve
from aurora.cli import terminal
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render.registry import print_json
from aurora.faults import show_hidden_line

if TYPE_CHECKING:
    from aurora.serve import Token


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    tokens = serve.TokenStore(serve.find_token_file()).read()
    if options.json:
        print_json({"tokens": [describe_token(token) for token in tokens]})
        return ExitCode.OK
    for token in tokens:
        shown = describe_token(token)
        projects = ", ".join(shown["projects"])
        click.echo(f"{token.id}  {shown['scope']:5}  {shown['state']:8}  {projects}  {show_hidden_line(token.name)}")
    click.echo(terminal.format_count(len(tokens), "token") if tokens else "no token; `aur serve token add` makes one")
    return ExitCode.OK


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


COMMAND = click.Command(
    "list",
    params=[*(one for one in build_common_options() if one.name == "json_")],
    callback=_run_command,
    help="List the tokens: id, scope, state, projects and name. Their secrets are not stored.",
)
