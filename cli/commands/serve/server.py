"""`aur serve`: serve projects over HTTP; the group of the commands for tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora import serve
from aurora.cli.context import reject_empty
from aurora.cli.parser.groups import CommandGroup
from aurora.faults import Code, Fault, read_flag

if TYPE_CHECKING:
    from aurora.cli.context import CommonOptions


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> None:
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


def require_write(options: CommonOptions, effect: str) -> None:
    """Check that a command may change what the server reads.

    Raises:
        Fault: FORBIDDEN in read-only mode.
    """
    if options.read_only or read_flag("READ_ONLY"):
        message = f"{effect}, and read-only mode forbids writes"
        raise Fault(Code.FORBIDDEN, message, help="Leave out --read-only, or READ_ONLY in the environment.")


def _find_file() -> Path:
    found = serve.find_serve_file()
    if found is None:
        raise Fault(Code.NOT_FOUND, "this account has no home folder", help="Name the file with --config.")
    return found


COMMAND = CommandGroup(
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
    callback=_run_command,
    help="Serve projects over HTTP to many people, each with a token. The settings name the projects; "
    "docs/guide/serving.md shows a file.",
)
