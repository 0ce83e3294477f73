"""`aur`: the first word of every command."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from aurora import __version__
from aurora.cli.parser import CommandGroup

from .context import build_common_options, take_common_options
from .errors import run_guarded

if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """Aurora makes a coding assistant think in the open.

A workflow is a YAML file; the assistant walks it phase by phase, with a memory of the project under it.
`aur` alone says what to do next."""


@click.pass_context
def _run_root(context: click.Context, /, **given: Any) -> int | None:
    """What runs before a command, and by itself when there is none."""
    session = take_common_options(context, dict(given))
    if context.invoked_subcommand is not None:
        return None
    from aurora.cli.commands import show_welcome  # noqa: PLC0415 - help does not need the project

    return show_welcome(session)


def _build_version_option() -> click.Option:
    def print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
        if wanted and not context.resilient_parsing:
            click.echo(f"aur {__version__}")
            context.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=print_version,
        help="Print the version.",
    )


AUR = CommandGroup(
    name="aur",
    prefix="",
    help=HELP,
    callback=_run_root,
    invoke_without_command=True,
    params=[*build_common_options(), _build_version_option()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `aur` with these words (the process's own by default) and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever began us, as `aur … >&-` does
            nowhere = Path(os.devnull).open("r+", encoding="utf-8")  # noqa: SIM115 - for as long as we run
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        # a name that the terminal's encoding cannot show is no reason to fail
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    before_dashes = words[: words.index("--")] if "--" in words else words
    code = run_guarded(lambda: _run_command(words), as_json="--json" in before_dashes)
    if argv is None:
        _exit_process(code)
    return code


def _exit_process(code: int) -> NoReturn:
    """End the process here: everything of ours is closed, and taking down modules and threads does nobody any good.

    It takes a sixth of a short command's time. And a call that nobody waits for may still be inside a library of C++ or
    Rust: Python would unwind its thread, which these libraries answer with an abort.
    """
    telemetry = sys.modules.get("aurora.tools.runtime.telemetry")
    if telemetry is not None:
        telemetry.flush_spans()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _run_command(words: list[str]) -> Any:
    if "_AUR_COMPLETE" in os.environ:  # the shell asks how a word may go on; click answers, and leaves
        AUR.main(words, prog_name="aur")
    # Not `AUR.main`: it has its own idea of what an interrupt and a closed pipe mean.
    with AUR.make_context("aur", words) as context:
        return AUR.invoke(context)
