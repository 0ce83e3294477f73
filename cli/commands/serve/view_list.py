"""`aur serve view list`: the pushed bases, and each person's own view."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from aurora import serve
from aurora.cli import terminal
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser import DescribedArgument, DescribedCommand
from aurora.cli.render import print_json
from aurora.faults import show_hidden_line

from .server import load_named_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.serve import PushedView

_SHORT_COMMIT = 10


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    projects = serve.PushedProjects(load_named_settings(given["config"]))
    names = [given["name"]] if given["name"] else projects.list_names()
    found = [(name, view) for name in names for view in projects.list_views(name)]
    if options.json:
        print_json({"views": [describe_view(name, view, projects.names) for name, view in found]})
        return ExitCode.OK
    for name, view in found:
        shown = describe_view(name, view, projects.names)
        commit = shown["commit"][:_SHORT_COMMIT] or "-"
        files = terminal.format_count(shown["files"], "file")
        person = show_hidden_line(shown["name"])
        click.echo(f"{name}  {show_hidden_line(view.who)}  {files}  {commit}  {shown['published']}  {person}".rstrip())
    click.echo(terminal.format_count(len(found), "view") if found else "nothing has been pushed")
    return ExitCode.OK


def describe_view(project: str, view: PushedView, names: Mapping[str, str]) -> dict[str, Any]:
    """Return a view as JSON."""
    at = datetime.fromtimestamp(view.at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "project": project,
        "view": view.who,
        "name": names.get(view.who, ""),
        "files": len(view.manifest.files),
        "commit": view.manifest.commit,
        "branch": view.manifest.branch,
        "published": at,
    }


COMMAND = DescribedCommand(
    "list",
    params=[
        DescribedArgument(
            ["name"], metavar="[PROJECT]", required=False, description="The project of the server; by default all."
        ),
        click.Option(["--config"], metavar="FILE", help="The settings; by default serve.toml next to config.toml."),
        *(one for one in build_common_options() if one.name == "json_"),
    ],
    callback=_run_command,
    help="List what was pushed: the base of each project, and the views of people, by the id of their token.",
)
