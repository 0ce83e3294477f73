"""`aur hook`: answer the hook of an assistant, or show a person what it would add."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora import hook
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.parser.described import DescribedArgument, DescribedCommand
from aurora.cli.project import open_workspace
from aurora.faults import show_hidden_line
from aurora.faults.paths.resolve import path_exists
from aurora.tools.hooks.context import find_file_context, find_prompt_context, find_session_context

if TYPE_CHECKING:
    from aurora.tools.hooks.context import HookContext


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    event, prompt, file = given["event"], given["prompt"], given["file"]
    if event == hook.USER_PROMPT and not prompt:
        raise click.UsageError('pass --prompt "TEXT" to preview what the hook adds to a prompt', context)
    if event == hook.FILE_USE and not file:
        raise click.UsageError("pass --file FILE to preview what the hook adds to a file", context)
    logging.getLogger("aurora.memory").setLevel(logging.CRITICAL)  # an assistant shows what a hook says
    with open_workspace(options, reads=True) as workspace:
        if event == hook.SESSION_START:
            found = find_session_context(workspace)
        elif event == hook.USER_PROMPT:
            found = find_prompt_context(workspace, prompt)
        else:
            found = find_file_context(workspace, str(Path(file).resolve()), set())
    _show_context(found, _explain_nothing(file), as_json=options.json)
    return ExitCode.OK


def _explain_nothing(file: str | None) -> str:
    """Return the line for a hook that adds nothing: a file that does not exist may be why."""
    if file is None or path_exists(file):
        return "Nothing is added."
    return show_hidden_line(f'Nothing is added: there is no file "{file[:200]}".')


def _show_context(found: HookContext | None, nothing: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"message": found.message, "context": found.text} if found else {}))
    elif found is None:
        click.echo(nothing)
    else:
        click.echo(f"{found.message}\n\n{found.text}")


COMMAND = DescribedCommand(
    "hook",
    params=[
        DescribedArgument(
            ["event"],
            type=click.Choice([hook.SESSION_START, hook.USER_PROMPT, hook.FILE_USE]),
            metavar="EVENT",
            description="When the assistant runs it: session-start, user-prompt or file-use.",
        ),
        click.Option(["--prompt"], metavar="TEXT", help="Preview what the hook adds to this prompt."),
        click.Option(["--file"], metavar="FILE", help="Preview what the hook adds when this file is read or edited."),
        *build_common_options(),
    ],
    callback=_run_command,
    help="Answer the hook of an assistant: `aur init --hooks` writes this command into its settings. An assistant runs "
    "it with an event alone, or with --project, and sends JSON on standard input; the answer comes from the project's "
    "server within 0.2 s, or is empty. With --prompt, --file or --json, it previews the answer for you.",
)
