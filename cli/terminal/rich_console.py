"""The console that people read, without its own idea of what a closed pipe means."""

from __future__ import annotations

from rich.console import Console


class PipeSafeConsole(Console):
    """A console that leaves a reader who has gone to the error boundary, which knows the exit code for it."""

    def on_broken_pipe(self) -> None:
        """Called while a `BrokenPipeError` is handled."""
        raise  # noqa: PLE0704 - rich calls this inside its `except BrokenPipeError`
