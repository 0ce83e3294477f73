"""The one error boundary: three kinds of failure, one sentence each, and a number."""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from aurora.faults import Code, Fault

from .exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable


_DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""What an operating system says of a place that takes no more."""


def run_guarded(work: Callable[[], Any], *, as_json: bool) -> int:
    """Run a command and turn whatever comes of it into an exit code.

    Args:
        work: the command; its value is the exit code, None means 0.
        as_json: tell failures as the error envelope on stdout instead of a sentence on stderr.
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
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the boundary: nothing gets past it
        return _report_fault(*_classify_error(error), as_json=as_json)
    return code


def _classify_error(error: BaseException) -> tuple[Fault, ExitCode, str]:
    """The three kinds of failure: the person's command, the person's document or question, our mistake.

    Returns:
        The fault, the exit code, and a remark for people's eyes alone: as JSON, a tool's fault is what every other
        surface says of it.
    """
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return Fault(Code.TIMEOUT, "interrupted"), ExitCode.INTERRUPTED, ""
    if isinstance(error, click.ClickException):
        return _to_usage_fault(error), ExitCode.USAGE, ""
    if isinstance(error, Fault) and error.code is not Code.INTERNAL_ERROR:
        return error, ExitCode.PROBLEMS, ""
    if isinstance(error, OSError) and error.errno in _DISK_FULL_ERRORS:
        what = f'"{error.filename}"' if error.filename else "the output"
        said = f"{what} cannot be written: {(error.strerror or '').lower()}"
        return Fault(Code.UPSTREAM_ERROR, said, help="Make room, then say the same again."), ExitCode.PROBLEMS, ""
    fault, remark = _to_bug_fault(error)
    return fault, ExitCode.BUG, remark


def _report_fault(fault: Fault, code: ExitCode, remark: str, *, as_json: bool) -> int:
    """Tell the fault to whoever asked; a reader that has left does not matter any more."""
    lines = [f"aur: {_to_single_line(fault.message)}"]
    lines += [f"{what}: {_to_single_line(text)}" for what, text in (("help", fault.help), ("note", remark)) if text]
    if code is ExitCode.INTERRUPTED and sys.stderr.isatty():  # the line of a question, or of a progress, is still open
        lines.insert(0, "")
    try:
        if as_json:
            sys.stdout.write(json.dumps({"status": "error", "error": fault.to_json()}) + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write("\n".join(lines) + "\n")
    except BrokenPipeError:
        _handle_closed_pipe()
    except OSError:  # standard output takes nothing any more
        with suppress(OSError):
            sys.stderr.write("\n".join(lines) + "\n")
    return code


def _to_single_line(text: str) -> str:
    """Without line breaks and terminal controls: a message may quote what a file holds."""
    return "".join(char if char.isprintable() else " " for char in text)


def _to_usage_fault(error: click.ClickException) -> Fault:
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "aur"
    message = " ".join(error.format_message().split()).rstrip(".")  # click writes a list of choices line by line
    return Fault(
        Code.INVALID_INPUT, message[:1].lower() + message[1:], help=f"`{command} --help` shows how it is used."
    )


def _to_bug_fault(error: BaseException) -> tuple[Fault, str]:
    """Our mistake as a fault, and where its traceback was written; one without a cause knows a remedy by itself."""
    if isinstance(error, Fault) and error.__cause__ is None:
        return error, ""
    from .crash_report import write_crash_report  # noqa: PLC0415 - needed only once something is broken

    place = write_crash_report(error.__cause__ or error)
    if isinstance(error, Fault):
        return error, f"The traceback is in {place}."
    return Fault(
        Code.INTERNAL_ERROR,
        f"Aurora failed ({type(error).__name__})",
        help=f"This is our mistake, and nothing of yours. The traceback is in {place}; please report it.",
    ), ""


def _handle_closed_pipe() -> int:
    """Nobody reads any more (`aur … | head`): be quiet, also in the flush at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return ExitCode.OK
