"""Progress bar on a terminal, drawn by rich."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from aurora.faults import show_hidden_line

_MAX_MESSAGE = 50


class ProgressBar:
    """Bar on standard error.

    Args:
        total: units of the whole work; None where they are unknown.
    """

    def __init__(self, total: float | None) -> None:
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
