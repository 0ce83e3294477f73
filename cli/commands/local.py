"""Commands that serve one machine: the assistant's server, the page in a browser, the hooks."""

from __future__ import annotations

import json
import logging
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora import hook, serve
from aurora.cli.context import build_common_options, reject_empty, take_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand
from aurora.cli.project import open_workspace, require_readable_folder, resolve_project_root
from aurora.errors import Code, Fault, show_hidden_line
from aurora.memory.files import find_project, has_memory
from aurora.system.environment import read_value
from aurora.system.paths.resolve import path_exists
from aurora.tools import runs, runtime
from aurora.tools.hooks.context import find_file_context, find_prompt_context, find_session_context
from aurora.tools.mcp.server import serve_project
from aurora.ui import PageOptions, serve_page

if TYPE_CHECKING:
    from aurora.tools.hooks.context import HookContext


@click.pass_context
def _answer_hook(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    event, prompt, file = given["event"], given["prompt"], given["file"]
    # An assistant's own call never comes here: `hook.begin_hook` answers
    # it before this module is loaded. What is here is a person's preview.
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


HOOK = DescribedCommand(
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
    callback=_answer_hook,
    help="Answer the hook of an assistant: `aur init --hooks` writes this command into its settings. An assistant runs "
    "it with an event alone, or with --project, and sends JSON on standard input; the answer comes from the project's "
    "server within 0.2 s, or is empty. With --prompt, --file or --json, it previews the answer for you.",
)


_DEFAULT = "default"


@click.pass_context
def _serve_assistant(context: click.Context, /, **given: Any) -> None:
    options = take_common_options(context, given)
    reject_empty(context, given, "toolsets")
    root, toolsets, where = resolve_project_root(options), given["toolsets"], given["http"]
    if where is None:
        serve_project(root, read_only=options.read_only, toolsets=toolsets)
        return
    address = serve.DEFAULT_ADDRESS if where == _DEFAULT else where
    serve.serve_one_project(root, address, read_only=options.read_only, toolsets=toolsets)


MCP = click.Command(
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
    callback=_serve_assistant,
    help="Serve the project to an assistant: the Model Context Protocol on standard input and output, or over HTTP.",
)


_NO_TERMINAL = (
    "This page was started without a terminal, where no person is known to be, so it only shows. Start `aur ui` in a "
    "terminal, or use `aur runs approve` there."
)


@click.pass_context
def _serve_browser(context: click.Context, /, **given: Any) -> None:
    options = take_common_options(context, given)
    runtime.configure_logging()  # silent, unless AURORA_LOG is set
    named = [find_project(require_readable_folder(Path(one).expanduser(), one, "")) for one in given["folders"]]
    roots = named or [resolve_project_root(options)]
    _reject_shared_database(roots)
    if given["run"] and given["run"] != runs.LAST:  # the newest may be begun while the page is open
        _require_run(roots, given["run"])
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    # An assistant can start this command too, and would then approve its
    # own run through the page. It has no terminal, so its page only shows.
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


UI = DescribedCommand(
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
    callback=_serve_browser,
    help="Serve a page with runs, workflows and memory to a browser on this machine, and print its link. Without "
    "FOLDER, the project of this folder. Run from a terminal, the page can also answer runs that wait for you.",
)
