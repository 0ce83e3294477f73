"""`aur mcp`: serve one project to an assistant, over stdio or over HTTP on this machine."""

from __future__ import annotations

from typing import Any

import click

from aurora import serve
from aurora.cli.context import build_common_options, reject_empty, take_common_options
from aurora.cli.project import resolve_project_root
from aurora.tools.mcp.server import serve_project

_DEFAULT = "default"


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> None:
    options = take_common_options(context, given)
    reject_empty(context, given, "toolsets")
    root, toolsets, where = resolve_project_root(options), given["toolsets"], given["http"]
    if where is None:
        serve_project(root, read_only=options.read_only, toolsets=toolsets)
        return
    address = serve.DEFAULT_ADDRESS if where == _DEFAULT else where
    serve.serve_one_project(root, address, read_only=options.read_only, toolsets=toolsets)


COMMAND = click.Command(
    "mcp",
    params=[
        click.Option(
            ["--toolsets"],
            multiple=True,
            metavar="NAMES",
            help="Toolsets to offer besides the three tools, separated by commas, or all. [AURORA_TOOLSETS]",
        ),
        click.Option(
            ["--http"],
            is_flag=False,
            flag_value=_DEFAULT,
            metavar="[ADDRESS]",
            help="Serve over HTTP to programs of this machine instead, at 127.0.0.1:8320 or ADDRESS.",
        ),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Serve the project to an assistant: the Model Context Protocol on standard input and output, or over HTTP.",
)
