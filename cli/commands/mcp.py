"""`aur mcp`: serve one project to an assistant over stdio."""

from __future__ import annotations

from typing import Any

import click

from aurora.cli.context import build_common_options, resolve_project_root, take_common_options


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> None:
    session = take_common_options(context, given)
    from aurora.tools.mcp import serve_project  # noqa: PLC0415 - nothing else pays for the protocol

    serve_project(resolve_project_root(session), read_only=session.read_only, toolsets=given["toolsets"])


COMMAND = click.Command(
    "mcp",
    params=[
        click.Option(
            ["--toolsets"],
            multiple=True,
            metavar="NAMES",
            help="Toolsets to offer besides the three, with commas between them, or all. [AURORA_TOOLSETS]",
        ),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Serve the project to an assistant: the Model Context Protocol on standard input and output.",
)
