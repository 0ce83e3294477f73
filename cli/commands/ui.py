"""`aur ui`: serve the page of one project, or of several, to a browser on this machine."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.project import require_readable_folder, resolve_project_root
from aurora.faults import Code, Fault, read_value
from aurora.memory.files import find_project, has_memory
from aurora.tools import runs, runtime
from aurora.ui import PageOptions, serve_page

_NO_TERMINAL = (
    "This page was started without a terminal, where no person is known to be, so it only shows. Start `aur ui` in a "
    "terminal, or use `aur runs approve` there."
)


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> None:
    options = take_common_options(context, given)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    named = [find_project(require_readable_folder(Path(one).expanduser(), one, "")) for one in given["folders"]]
    roots = named or [resolve_project_root(options)]
    _reject_shared_database(roots)
    if given["run"] and given["run"] != runs.LAST:  # the newest may be begun while the page is open
        _require_run(roots, given["run"])
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    refusal = "" if is_terminal else _NO_TERMINAL
    page = PageOptions(given["port"], runs.name_user(), refusal, options.read_only, given["run"])

    def announce(link: str) -> None:
        click.echo(f"The page is at {link}")
        click.echo("The link works once. Ctrl-C stops the page.")
        if given["open_"]:
            webbrowser.open(link)

    serve_page(roots, page, announce)


def _require_run(roots: list[Path], name: str) -> None:
    """Reject the name of a run that none of the projects has.

    Raises:
        Fault: NOT_FOUND.
    """
    for root in roots:
        with runtime.Workspace(root, read_only=True, untouched=not has_memory(root)) as workspace, suppress(Fault):
            if workspace.memory.journal.head(runs.resolve_run_id(workspace, name)) is not None:
                return
    raise Fault(Code.NOT_FOUND, f'there is no run "{name[:40]}"', help="Run `aur runs list` to see the runs.")


def _reject_shared_database(roots: list[Path]) -> None:
    """Reject several folders with one database, which the environment names for the whole process."""
    shared = next((name for name in ("AURORA_DATABASE", "AURORA_DB") if read_value(name)), None)
    if shared is not None and len(set(roots)) > 1:
        raise Fault(
            Code.INVALID_INPUT,
            f"{shared} makes all {len(set(roots))} folders use one database",
            help=f"Name one folder, or unset {shared}.",
        )


COMMAND = DescribedCommand(
    "ui",
    params=[
        DescribedArgument(
            ["folders"],
            nargs=-1,
            metavar="[FOLDER]...",
            description="Folders of projects to show; by default this project.",
        ),
        click.Option(["--run"], default="", metavar="RUN", help="The run to show first; `last` is the newest."),
        click.Option(["--open", "open_"], is_flag=True, help="Open it in your browser."),
        click.Option(
            ["--port"],
            type=click.IntRange(0, 65535),
            default=0,
            metavar="PORT",
            help="The port; a free one by default.",
        ),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Serve a page with runs, workflows and memory to a browser on this machine, and print its link. Without "
    "FOLDER, the project of this folder. Run from a terminal, the page can also answer runs that wait for you.",
)
