"""`aur serve token revoke`: end a token at once."""

from __future__ import annotations

from typing import Any

import click

from aurora import serve
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.render.registry import print_json
from aurora.faults import Code, Fault, show_hidden_line

from .server import require_write
from .token_list import describe_token


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
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


COMMAND = DescribedCommand(
    "revoke",
    params=[
        DescribedArgument(["id"], metavar="ID", description="The id of the token, as `aur serve token list` shows it."),
        *(one for one in build_common_options() if one.name == "json_"),
    ],
    callback=_run_command,
    help="Revoke the token with this ID. A server that runs refuses it from the next request on.",
)
