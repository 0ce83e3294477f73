"""Long work is watched: a bar on a terminal, now and then a line elsewhere, nothing beside JSON."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from .console import strip_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as Bar

    from aurora.cli.context import CommonOptions
    from aurora.tools.core import ProgressCallback

_INTERVAL = 2.0
"""Seconds between two lines where there is no terminal."""


@contextmanager
def track_progress(session: CommonOptions) -> Iterator[ProgressCallback]:
    """Whom a tool reports its progress to while it runs."""
    if session.json:
        yield lambda _done, _total, _message: None
    elif sys.stderr.isatty():
        with _BarProgress() as bar:
            yield bar.report
    else:
        yield _LineProgress().report


class _LineProgress:
    """A line every few seconds, the first one only after so long: quick work says nothing."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def report(self, done: float, total: float | None, message: str) -> None:
        now = time.monotonic()
        if now - self._last >= _INTERVAL:
            self._last = now
            share = f"{done / total:4.0%}  " if total else ""
            sys.stderr.write(f"{share}{strip_controls(message)}\n")


class _BarProgress:
    """A bar that appears with the first report, and goes when the work is over."""

    def __init__(self) -> None:
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, done: float, total: float | None, message: str) -> None:
        if self._bar is None:
            self._bar = _make_bar()
            self._bar.add_task("", total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done, total=total, description=strip_controls(message)[-50:])


def _make_bar() -> Bar:
    from rich.console import Console  # noqa: PLC0415 - only for long work on a terminal
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
