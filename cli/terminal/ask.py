"""Questions that a person answers with yes or no."""

from __future__ import annotations

import sys

import click

from aurora.faults import Code, Fault

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


def confirm(question: str, *, default: bool) -> bool:
    """Ask until the person answers with y or n; an empty line is the default."""
    choices = "Y/n" if default else "y/N"
    while True:
        typed = click.prompt(f"{question} [{choices}]", default="", show_default=False).strip().lower()
        if not typed:
            return default
        if typed in _WORDS:
            return _WORDS[typed]
        click.echo("Answer y or n.")
