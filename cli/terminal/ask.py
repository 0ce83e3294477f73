"""Question before a command that replaces or deletes something."""

from __future__ import annotations

import sys

import click

from aurora.faults import Code, Fault


def ask_before(question: str, *, is_answered: bool) -> None:
    """Ask the person for consent, unless it was given in advance.

    Raises:
        Fault: INVALID_INPUT without a terminal, CONFLICT after a no.
    """
    if is_answered:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Fault(Code.INVALID_INPUT, "not a terminal: nothing was changed", help="Pass --yes to do it.")
    if not click.confirm(question, default=False):
        raise Fault(Code.CONFLICT, "nothing was changed")
