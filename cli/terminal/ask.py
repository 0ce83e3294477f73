"""Questions that a person answers with yes or no."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

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
