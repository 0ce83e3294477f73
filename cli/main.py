"""Root command `aur`, and the run of a command line."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from aurora import __version__, faults
from aurora.cli.parser import CommandGroup

from .context import build_common_options, take_common_options
from .errors import run_guarded

if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """Aurora makes a coding assistant follow a written process.

A workflow is a YAML file; the assistant runs it phase by phase, with a memory of the project.
Run `aur` without arguments to see what to do next."""


@click.pass_context
def _run_root(context: click.Context, /, **given: Any) -> int | None:
    """Show the welcome when there is no command."""
    options = take_common_options(context, dict(given))
    if context.invoked_subcommand is not None:
        return None
    from aurora.cli.commands import show_welcome  # noqa: PLC0415 - a command does not load the welcome

    return show_welcome(options)


AUR = CommandGroup(
    name="aur",
    prefix="",
    help=HELP,
    callback=_run_root,
    invoke_without_command=True,
    params=build_common_options(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


click.version_option(__version__, prog_name="aur", message="%(prog)s %(version)s", help="Print the version.")(AUR)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `aur` with these arguments (by default those of the process) and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process, as in `aur … >&-`
            nowhere = Path(os.devnull).open("r+", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a character that the encoding lacks is not a failure
            stream.reconfigure(errors="backslashreplace")
    before_dashes = words[: words.index("--")] if "--" in words else words
    code = run_guarded(lambda: _run_command(words), as_json="--json" in before_dashes)
    if argv is None:
        _exit_process(code)
    return code


def _exit_process(code: int) -> NoReturn:
    """End the process without the interpreter's teardown; everything is closed by now.

    The teardown takes a sixth of a short command's time. And a cancelled call may still run inside a library of C++ or
    Rust: Python would unwind its thread, and these libraries abort then.
    """
    telemetry = sys.modules.get("aurora.tools.runtime.telemetry")
    if telemetry is not None:
        telemetry.flush_spans()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    backups = sys.modules.get("aurora.memory.sqlite.backup.automatic")
    if backups is not None:
        backups.finish_backups()
    os._exit(code)


def _run_command(words: list[str]) -> Any:
    if "_AUR_COMPLETE" in os.environ:  # the shell requests completions; click prints them and exits
        AUR.main(words, prog_name="aur")
    # Not `AUR.main`: it handles an interrupt and a closed pipe in its own way.
    with AUR.make_context("aur", words) as context:
        faults.check_environment()
        return AUR.invoke(context)
