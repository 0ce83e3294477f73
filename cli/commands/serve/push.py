"""`aur push`: send the project's files to a server that takes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aurora import serve
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import resolve_project_root
from aurora.cli.render import print_json
from aurora.cli.terminal import format_bytes, format_count, track_progress
from aurora.faults import Code, Fault, show_hidden_line

if TYPE_CHECKING:
    from aurora.serve import PushResult

_MAX_SHOWN = 20
_SHORT_COMMIT = 10
_EXPECTED_REASONS = frozenset({"binary", "generated", "huge", "link"})
"""Reasons that concern no secret and no name, and are only counted."""


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    root = resolve_project_root(options)
    target = serve.PushTarget(given["to"], *_read_token(given["token_env"]))
    with track_progress(options) as progress:
        done = serve.push_project(root, target, progress)
    if options.json:
        print_json(_to_json(done))
    else:
        _show_result(done)
    return ExitCode.OK


def _read_token(named: str | None) -> tuple[str, str]:
    """Return the token and its variable; empty without one.

    Raises:
        Fault: INVALID_INPUT for a named variable that is not set.
    """
    if not named:
        return "", ""
    token = os.environ.get(named, "").strip() if "=" not in named and "\0" not in named else ""
    if not token:
        message = "--token-env names an environment variable that is not set"
        raise Fault(Code.INVALID_INPUT, message, help="Set it to the token; the operator of the server makes one.")
    return token, named


def _show_result(done: PushResult) -> None:
    where = "the base, which everyone with this project sees" if done.is_base else "your own view, which only you see"
    commit = f" at commit {done.commit[:_SHORT_COMMIT]}" if done.commit else ""
    click.echo(f"pushed {format_count(done.files, 'file')}{commit} to {where}")
    click.echo(
        f"sent   {format_count(done.sent, 'content')}, {format_bytes(done.sent_bytes)}; the server had the others"
    )
    if done.masked_lines:
        click.echo(f"masked {format_count(done.masked_lines, 'line')} with a password, key or token")
    told = [one for one in done.left_out if one.reason not in _EXPECTED_REASONS]
    for one in told[:_MAX_SHOWN]:
        click.echo(f"left out: {show_hidden_line(one.path)}: {show_hidden_line(one.detail)}")
    if others := len(done.left_out) - len(told[:_MAX_SHOWN]):
        click.echo(f"left out: {format_count(others, 'other file')}; --json lists them")


def _to_json(done: PushResult) -> dict[str, Any]:
    left_out = [{"path": one.path, "reason": one.reason, "detail": one.detail} for one in done.left_out]
    return {
        "view": "base" if done.is_base else "own",
        "commit": done.commit,
        "files": done.files,
        "sent": done.sent,
        "sent_bytes": done.sent_bytes,
        "masked_lines": done.masked_lines,
        "left_out": left_out,
    }


COMMAND = click.Command(
    "push",
    params=[
        click.Option(
            ["--to"], required=True, metavar="URL", help="The project's address on the server: https://HOST/p/NAME."
        ),
        click.Option(["--token-env"], metavar="NAME", help="The environment variable with the token, scope write."),
        *(one for one in build_common_options() if one.name != "read_only"),
    ],
    callback=_run_command,
    help="Send the project's files to a server whose settings have push = true: a list of hashes, and then only the "
    "contents that it lacks. A clean commit becomes the base that everyone sees; with uncommitted changes, the files "
    "become your own view. Files that indexing leaves out stay here, and secrets are masked. Run it again after an "
    "interruption: it goes on.",
)
