"""`aur mcp`: serve one project to an assistant over stdio."""

from __future__ import annotations

from typing import Any

import click

from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.project import resolve_project_root
from aurora.tools.mcp import serve_project


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> None:
    options = take_common_options(context, given)
    serve_project(resolve_project_root(options), read_only=options.read_only, toolsets=given["toolsets"])


COMMAND = click.Command(
    "mcp",
    params=[
        click.Option(
            ["--toolsets"],
            multiple=True,
            metavar="NAMES",
            help="Toolsets to offer besides the three tools, separated by commas, or all. [AURORA_TOOLSETS]",
        ),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Serve the project to an assistant: the Model Context Protocol on standard input and output.",
)
