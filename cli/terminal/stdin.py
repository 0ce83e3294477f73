"""Standard input: questions that a person answers, a text, or a file that is spooled."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from aurora.faults import Code, Fault, open_temporary_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


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
