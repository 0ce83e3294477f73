"""`aur mcp`: serve one project to an assistant over stdio."""

from __future__ import annotations

from typing import Any

import click

from aurora.cli.context import common, project_root, session_of


@click.pass_context
def _serve(context: click.Context, /, **given: Any) -> None:
    session = session_of(context, given)
    from aurora.tools.mcp.server import serve  # noqa: PLC0415 - nothing else pays for the protocol

    serve(project_root(session), read_only=session.read_only, toolsets=given["toolsets"])


COMMAND = click.Command(
    "mcp",
    params=[
        click.Option(
            ["--toolsets"],
            multiple=True,
            metavar="NAMES",
            help="Toolsets to offer besides the three, with commas between them, or all. [AURORA_TOOLSETS]",
        ),
        *common(),
    ],
    callback=_serve,
    help="Serve the project to an assistant: the Model Context Protocol on standard input and output.",
)
