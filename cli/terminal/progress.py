"""Progress of long work: a bar on a terminal, a line every few seconds elsewhere, nothing with JSON."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from aurora.cli import terminal
from aurora.faults import show_hidden_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.cli.context import CommonOptions
    from aurora.cli.terminal import ProgressBar
    from aurora.tools.core import ProgressCallback

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
            self._bar = terminal.ProgressBar(total)
        self._bar.update(done, total, message)
