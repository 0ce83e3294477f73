"""`aur serve view drop`: remove the base of a pushed project, or a person's own view."""

from __future__ import annotations

from typing import Any

import click

from aurora import serve
from aurora.cli import terminal
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser import DescribedArgument, DescribedCommand
from aurora.cli.render import print_json
from aurora.faults import show_hidden_line

from .server import load_named_settings, require_write
from .view_list import describe_view


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    require_write(options, "a view would be removed")
    projects = serve.PushedProjects(load_named_settings(given["config"]))
    name, who = given["name"], given["view"]
    what = f"the base of {name}" if who == "base" else f"the view of {show_hidden_line(who)} in {name}"
    terminal.ask_before(f"Remove {what}? Facts, patterns and runs stay.", is_answered=given["yes"])
    dropped = projects.drop_view(name, who)
    if options.json:
        print_json({"dropped": describe_view(name, dropped, projects.names)})
    else:
        click.echo(f"dropped: {what}, {terminal.format_count(len(dropped.manifest.files), 'file')}")
    return ExitCode.OK


COMMAND = DescribedCommand(
    "drop",
    params=[
        DescribedArgument(["name"], metavar="PROJECT", description="The project of the server."),
        DescribedArgument(
            ["view"], metavar="VIEW", description="The view: base, or one that `aur serve view list` shows."
        ),
        click.Option(["--config"], metavar="FILE", help="The settings; by default serve.toml next to config.toml."),
        click.Option(["--yes", "-y"], is_flag=True, help="Do not ask."),
        *(one for one in build_common_options() if one.name == "json_"),
    ],
    callback=_run_command,
    help="Remove a VIEW of a pushed PROJECT: base, or one that `aur serve view list` lists. Without its own view, a "
    "person sees the base; without a base, the project is empty until the next push. Facts, patterns and runs stay. "
    "The server may run meanwhile.",
)
