"""Rich console for people, which leaves a closed pipe to the error boundary."""

from __future__ import annotations

import sys

from rich.console import Console

from .console import get_console_width


class PipeSafeConsole(Console):
    """Console that raises on a closed pipe; the error boundary knows the exit code for it."""

    def on_broken_pipe(self) -> None:
        """Raise the error again; rich calls this inside its `except BrokenPipeError`."""
        raise BrokenPipeError from None


def make_console() -> Console:
    """Return the console for standard output.

    It has colours only on a terminal (see NO_COLOR), and a fixed width in a pipe.
    """
    return PipeSafeConsole(
        file=sys.stdout, width=get_console_width(), highlight=False, markup=False, emoji=False, soft_wrap=False
    )
