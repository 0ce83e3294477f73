"""Root command `aur`, and the run of a command line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from aurora import __version__, cli
from aurora.cli.parser.groups import CommandGroup
from aurora.errors import ArgumentFault, Code, EnvironmentFault, Fault, escape_json, show_hidden_line
from aurora.system.environment import check_environment
from aurora.system.files import is_disk_full

from .context import build_common_options, take_common_options
from .exits import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HELP = """Aurora makes a coding assistant follow a written process.

A workflow is a YAML file; the assistant runs it phase by phase, with a memory of the project.
Run `aur` without arguments to see what to do next."""


@click.pass_context
def _run_root(context: click.Context, /, **given: Any) -> int | None:
    """Show the welcome when there is no command."""
    options = take_common_options(context, dict(given))
    if context.invoked_subcommand is not None:
        return None
    from aurora.cli.commands.welcome import show_welcome  # noqa: PLC0415 - a command does not load the welcome

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
    # Behind `--` every word is an argument, `--json` too.
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
        # After the parse, so that `--help` works although a variable has a wrong value.
        check_environment()
        return AUR.invoke(context)


_NO_NUMBER = re.compile(r"is not a valid (integer|float)(?: range)?$")

_NUMBER_WORDS = {"integer": "is not a whole number", "float": "is not a number"}
"""Words of click's message -> what a person reads."""


def run_guarded(work: Callable[[], Any], *, as_json: bool) -> int:
    """Run a command and return its exit code.

    Args:
        work: the command; it returns the exit code, or None for 0.
        as_json: print failures as the error envelope on stdout instead of a message on stderr.
    """
    try:
        code = int(work() or ExitCode.OK)
        sys.stdout.flush()
    except BrokenPipeError:
        return _handle_closed_pipe()
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(error.format_message() + "\n")
        return ExitCode.USAGE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the boundary: every failure ends here
        return _report_fault(*_classify_error(error), as_json=as_json)
    return code


def _classify_error(error: BaseException) -> tuple[Fault, ExitCode, str]:
    """Classify a failure: a wrong command line, a failed request, a bug in Aurora.

    Returns:
        The fault, the exit code, and a note for people: in JSON, a tool's fault is the same on every surface.
    """
    if isinstance(error, KeyboardInterrupt | click.Abort) or _is_interrupted(error):
        remedy = str(error.args[0]) if isinstance(error, KeyboardInterrupt) and error.args else ""
        return Fault(Code.TIMEOUT, "interrupted", help=remedy), ExitCode.INTERRUPTED, ""
    if isinstance(error, click.ClickException):
        return _to_usage_fault(error), ExitCode.USAGE, ""
    if isinstance(error, ArgumentFault | EnvironmentFault):
        return error, ExitCode.USAGE, ""
    if isinstance(error, Fault) and error.code is not Code.INTERNAL_ERROR:
        return error, ExitCode.PROBLEMS, ""
    if isinstance(error, OSError) and is_disk_full(error):
        target = f'"{error.filename}"' if error.filename else "the output"
        message = f"{target} cannot be written: {(error.strerror or '').lower()}"
        return Fault(Code.UPSTREAM_ERROR, message, help="Free space, then run it again."), ExitCode.PROBLEMS, ""
    fault, note = _to_bug_fault(error)
    return fault, ExitCode.BUG, note


def _is_interrupted(error: BaseException) -> bool:
    """Return True for an error that a library made of Ctrl-C, such as pydantic's while it builds a class."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, KeyboardInterrupt):
            return True
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return False


def _report_fault(fault: Fault, code: ExitCode, note: str, *, as_json: bool) -> int:
    """Print the fault and return the exit code; ignore a closed output."""
    parts = [("aur", fault.message), ("help", fault.help), ("note", note)]
    told = [f"{label}: {line}" for label, line in parts if line]
    told += [f"  {line}" for line in fault.details.get("lines", ())]
    from aurora.tools import text  # noqa: PLC0415 - only an error needs it, and help loads no tool

    lines = [show_hidden_line(line) for line in text.shorten_places(told)]
    if code is ExitCode.INTERRUPTED and sys.stderr.isatty():  # a prompt or progress bar left its line open
        lines.insert(0, "")
    try:
        if as_json:
            sys.stdout.write(escape_json(json.dumps({"status": "error", "error": fault.to_json()})) + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write("\n".join(lines) + "\n")
    except BrokenPipeError:
        _handle_closed_pipe()
    except OSError:  # standard output cannot be written to any more
        with suppress(OSError):
            sys.stderr.write("\n".join(lines) + "\n")
    return code


def _to_usage_fault(error: click.ClickException) -> Fault:
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "aur"
    message = " ".join(error.format_message().split()).rstrip(".")  # click writes a list of choices line by line
    message = _NO_NUMBER.sub(lambda found: _NUMBER_WORDS[found[1]], message)
    if not message[1:2].isupper():  # not the name of an argument
        message = message[:1].lower() + message[1:]
    return Fault(Code.INVALID_INPUT, message, help=f"Run `{command} --help` for its usage.")


def _to_bug_fault(error: BaseException) -> tuple[Fault, str]:
    """Return a bug as a fault, and a note on its traceback; a fault without a cause has its own remedy."""
    if isinstance(error, Fault) and error.__cause__ is None:
        return error, ""
    place = cli.write_crash_report(error.__cause__ or error)
    if isinstance(error, Fault):
        return error, f"The traceback is in {place}."
    return Fault(
        Code.INTERNAL_ERROR,
        f"Aurora failed ({type(error).__name__})",
        help=f"This is a bug in Aurora. The traceback is in {place}; please report it.",
    ), ""


def _handle_closed_pipe() -> int:
    """Stay silent after the reader closed the pipe (`aur … | head`), in the flush at exit too."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return ExitCode.OK
