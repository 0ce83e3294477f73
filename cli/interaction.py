"""The person at the terminal: questions, texts from standard input, the progress of long work."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import click

from aurora.errors import Code, Fault, show_hidden_line
from aurora.system.files import open_temporary_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.cli.context import CommonOptions
    from aurora.tools.core import ProgressCallback

_WORDS = {"y": True, "yes": True, "n": False, "no": False}


def ask_before(question: str, *, is_answered: bool) -> None:
    """Ask the person for consent, unless it was given in advance.

    Raises:
        Fault: INVALID_INPUT without a terminal, CONFLICT after a no.
    """
    if is_answered:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Fault(Code.INVALID_INPUT, "not a terminal: nothing was changed", help="Pass --yes to do it.")
    if not confirm(question, default=False):
        raise Fault(Code.CONFLICT, "nothing was changed")


def require_person(purpose: str) -> None:
    """Refuse to ask where no person sits: a program could answer.

    Args:
        purpose: what only a person can do.

    Raises:
        Fault: FORBIDDEN if standard input or output is no terminal.
    """
    # With the output in a file or a pipe, nobody would see what they agree to.
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = f"not a terminal: only a person can {purpose}, and a pipe or a script is none"
        raise Fault(Code.FORBIDDEN, message, help="Run it yourself in a terminal; there is no option that skips this.")


def confirm(question: str, *, default: bool, show: Callable[[], str] | None = None) -> bool:
    """Ask until the person answers with y or n; an empty line is the default.

    Args:
        question: the question.
        default: the answer of an empty line.
        show: shows what the question is about when the person types `show`, and returns the question after that.
    """
    choices = ("Y/n" if default else "y/N") + ("/show" if show is not None else "")
    while True:
        typed = click.prompt(f"{question} [{choices}]", default="", show_default=False).strip().lower()
        if not typed:
            return default
        if typed in _WORDS:
            return _WORDS[typed]
        if show is not None and typed in {"s", "show"}:
            question = show()
        else:
            click.echo("Answer y or n." if show is None else "Answer y, n or show.")


_MAX_BYTES = 900_000
"""Maximum size in bytes: written as JSON it still fits into the arguments of a call."""


def read_stdin() -> str:
    """Return the text, without its byte order mark.

    Raises:
        Fault: INVALID_INPUT when it is not UTF-8, or too large.
    """
    data = sys.stdin.buffer.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        message = f"standard input is larger than {_MAX_BYTES:,} bytes"
        raise Fault(Code.INVALID_INPUT, message, help="Save it in a file and pass the file's name.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Fault(
            Code.INVALID_INPUT,
            f"standard input is not UTF-8: byte 0x{data[error.start]:02x} in line {line}",
            help="Pipe a text in UTF-8.",
        ) from None


@contextmanager
def spool_stdin() -> Iterator[Path]:
    """Write all of it to a temporary file, which is deleted when the block ends."""
    with open_temporary_folder("stdin") as folder:
        path = folder / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path


_INTERVAL = 2.0
"""Seconds between two lines without a terminal."""


@contextmanager
def track_progress(options: CommonOptions) -> Iterator[ProgressCallback]:
    """Yield the function that a tool reports its progress to."""
    if options.json:
        yield lambda _done, _total, _message: None
    elif sys.stderr.isatty():
        with _LazyBar() as bar:
            yield bar.report
    else:
        yield _LineProgress().report


class _LineProgress:
    """Line every few seconds, the first one after the first interval: quick work prints nothing."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def report(self, done: float, total: float | None, message: str) -> None:
        now = time.monotonic()
        if now - self._last >= _INTERVAL:
            self._last = now
            share = f"{done / total:4.0%}  " if total else ""
            sys.stderr.write(f"{share}{show_hidden_line(message)}\n")


class _LazyBar:
    """Bar that is made for the first report, and removed when the block ends."""

    def __init__(self) -> None:
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, done: float, total: float | None, message: str) -> None:
        if self._bar is None:
            self._bar = ProgressBar(total)
        self._bar.update(done, total, message)


_MAX_MESSAGE = 50


class ProgressBar:
    """Bar on standard error; rich is loaded with the first one.

    Args:
        total: units of the whole work; None where they are unknown.
    """

    def __init__(self, total: float | None) -> None:
        from rich.console import Console  # noqa: PLC0415 - it takes 20 ms, and most commands show no bar
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - as above

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=total)
        self._bar.start()

    def update(self, done: float, total: float | None, message: str) -> None:
        """Show the finished units and the current one."""
        text = show_hidden_line(message)[-_MAX_MESSAGE:]
        self._bar.update(self._task, completed=done, total=total, description=text)

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()
